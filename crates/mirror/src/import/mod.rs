//! Moving over: what other systems left behind becomes entries of the log.
