//! Drawing at random, where the core needs it and may not.

/// A seed for the mark of one hand-over. Where the machine has no randomness the mark still is one that no text holds.
pub(crate) fn seed() -> u32 {
    let mut drawn = [0_u8; 4];
    let _ = getrandom::fill(&mut drawn);
    u32::from_le_bytes(drawn)
}
