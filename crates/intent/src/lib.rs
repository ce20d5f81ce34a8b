//! A tool call as the effects it would have.
