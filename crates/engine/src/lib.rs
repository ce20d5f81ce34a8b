//! The gate: effects and rules to a verdict with its explanation.
