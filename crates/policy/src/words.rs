//! Guesses at what a misspelt word was meant to be.

/// The known word nearest to `word`, when it is near enough to be a slip.
#[must_use]
pub fn nearest<'w>(word: &str, known: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    if word.len() > 64 {
        return None;
    }
    let lower = word.to_lowercase();
    let limit = (word.chars().count() / 3).clamp(1, 3);
    known
        .into_iter()
        .map(|candidate| (distance(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Insertions, deletions, replacements and swaps of neighbours between two
/// words.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut previous = None;
    for (row, c) in a.chars().enumerate() {
        let mut now = vec![row + 1];
        for (at, d) in b.iter().enumerate() {
            let get = |row: &[usize], at: usize| row.get(at).copied().unwrap_or(usize::MAX / 2);
            let replace = get(&last, at) + usize::from(c != *d);
            let mut best = replace.min(get(&last, at + 1) + 1).min(get(&now, at) + 1);
            let swapped = at > 0 && previous == Some(*d) && b.get(at - 1) == Some(&c);
            if swapped {
                best = best.min(get(&before, at - 1) + 1);
            }
            now.push(best);
        }
        before = std::mem::replace(&mut last, now);
        previous = Some(c);
    }
    last.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_other_words_are_not() {
        let actions = ["allow", "ask", "deny"];
        assert_eq!(nearest("dny", actions), Some("deny"));
        assert_eq!(nearest("Deny", actions), Some("deny"));
        assert_eq!(nearest("alow", actions), Some("allow"));
        assert_eq!(nearest("aks", actions), Some("ask"));
        assert_eq!(nearest("prompt", actions), None);
        assert_eq!(nearest("", actions), None);
    }
}
