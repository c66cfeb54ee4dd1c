//! Pauses between attempts at something that is away for a while: it is tried again soon, and less and less often.

/// In seconds; the last one stays.
const SECONDS: [u64; 7] = [1, 2, 4, 8, 16, 32, 60];

/// How many seconds to wait after a failure that came after so many others in a row.
pub fn pause_s(failures: usize) -> u64 {
    SECONDS[failures.min(SECONDS.len() - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_away_is_tried_less_and_less_often() {
        let pauses: Vec<u64> = (0..9).map(pause_s).collect();
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
    }
}
