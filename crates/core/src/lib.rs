//! placeholder

pub mod name;
pub mod team;
