//! Finds the word somebody probably meant.

/// Longest word that is compared, in characters; a typing mistake is in a short word.
const COMPARED_MAX_CHARS: usize = 64;

/// The candidate with the fewest typing mistakes, if at most a third of the word would be wrong and no
/// other candidate is as near.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = |text: &str| -> Vec<char> { text.to_lowercase().replace('-', "_").chars().collect() };
    let word = folded(word);
    if word.len() > COMPARED_MAX_CHARS {
        return None;
    }
    let allowed = (word.len() / 3).max(1);
    let mut near: Vec<(usize, &str)> = candidates
        .into_iter()
        // Candidates are ASCII, so their length says cheaply that too many letters are missing.
        .filter(|candidate| candidate.len().abs_diff(word.len()) <= allowed)
        .map(|candidate| (distance(&word, &folded(candidate)), candidate))
        .filter(|(mistakes, _)| *mistakes <= allowed)
        .collect();
    near.sort_unstable();
    match near[..] {
        [(_, only)] => Some(only),
        [(first, nearest), (second, _), ..] if first < second => Some(nearest),
        _ => None,
    }
}

/// Letters to insert, delete, replace or swap with their neighbour.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut best = (last[j] + usize::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant_and_nothing_else() {
        let keys = ["formation", "principal", "profile", "project"];
        assert_eq!(nearest("fromation", keys), Some("formation"));
        assert_eq!(nearest("Principle", keys), Some("principal"));
        assert_eq!(nearest("colour", keys), None);
        assert_eq!(nearest("", keys), None);
        assert_eq!(nearest("F002", ["F001", "F003"]), None);
        assert_eq!(nearest("f001x", ["F001", "F003"]), Some("F001"));
    }
}
