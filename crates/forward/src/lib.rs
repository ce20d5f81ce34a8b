//! Wire messages and the requester, server and relay state machines.
