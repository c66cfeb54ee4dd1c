//! placeholder

pub mod search;
