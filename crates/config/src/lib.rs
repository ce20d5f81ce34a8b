//! Configuration text to typed scopes, settings and diagnostics.
