//! A session at run time: mailbox, clock, facts, configuration, review log.
