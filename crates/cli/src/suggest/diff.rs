//! The difference of two texts, line by line.

/// Lines around a change.
const CONTEXT: usize = 3;

/// More pairs of lines than this are not compared one by one.
const MOST_PAIRS: usize = 4 << 20;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Same,
    Gone,
    New,
}

/// A unified difference, without trailing line end; empty where there is none.
pub fn unified(old_name: &str, new_name: &str, old: &str, new: &str) -> String {
    let old: Vec<&str> = old.lines().collect();
    let new: Vec<&str> = new.lines().collect();
    let steps = steps(&old, &new);
    let mut out = Vec::new();
    let mut at = 0;
    let (mut old_line, mut new_line) = (1, 1);
    while at < steps.len() {
        let next = steps
            .iter()
            .skip(at)
            .position(|(kind, _)| *kind != Kind::Same);
        let Some(next) = next.map(|it| at + it) else {
            break;
        };
        let start = next.saturating_sub(CONTEXT).max(at);
        old_line += start - at;
        new_line += start - at;
        // The hunk goes on while changes are close to each other.
        let mut end = next;
        let mut quiet = 0;
        for (offset, (kind, _)) in steps.iter().enumerate().skip(next) {
            match kind {
                Kind::Same => quiet += 1,
                _ => {
                    quiet = 0;
                    end = offset + 1;
                }
            }
            if quiet > 2 * CONTEXT {
                break;
            }
        }
        let end = (end + CONTEXT).min(steps.len());
        let hunk = steps.get(start..end).unwrap_or_default();
        let count = |without: Kind| hunk.iter().filter(|(kind, _)| *kind != without).count();
        let (olds, news) = (count(Kind::New), count(Kind::Gone));
        if out.is_empty() {
            out.push(format!("--- {old_name}"));
            out.push(format!("+++ {new_name}"));
        }
        let first = |line: usize, lines: usize| if lines == 0 { line - 1 } else { line };
        out.push(format!(
            "@@ -{},{olds} +{},{news} @@",
            first(old_line, olds),
            first(new_line, news)
        ));
        for (kind, line) in hunk {
            let mark = match kind {
                Kind::Same => ' ',
                Kind::Gone => '-',
                Kind::New => '+',
            };
            out.push(format!("{mark}{line}"));
        }
        old_line += olds;
        new_line += news;
        at = end;
    }
    out.join("\n")
}

/// The lines of both texts in order.
fn steps<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<(Kind, &'t str)> {
    let same = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (head, old) = old.split_at(same);
    let new = new.get(same..).unwrap_or_default();
    let tail = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let (old, end) = old.split_at(old.len() - tail);
    let new = new.get(..new.len() - tail).unwrap_or_default();
    let mut out: Vec<(Kind, &str)> = head.iter().map(|line| (Kind::Same, *line)).collect();
    out.extend(middle(old, new));
    out.extend(end.iter().map(|line| (Kind::Same, *line)));
    out
}

/// The longest common subsequence keeps its lines.
fn middle<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<(Kind, &'t str)> {
    let gone = |line: &&'t str| (Kind::Gone, *line);
    let added = |line: &&'t str| (Kind::New, *line);
    if old.len().saturating_mul(new.len()) > MOST_PAIRS {
        return old.iter().map(gone).chain(new.iter().map(added)).collect();
    }
    let width = new.len() + 1;
    let mut best = vec![0_u32; (old.len() + 1) * width];
    let value = |best: &[u32], row: usize, column: usize| {
        best.get(row * width + column).copied().unwrap_or(0)
    };
    for (row, a) in old.iter().enumerate().rev() {
        for (column, b) in new.iter().enumerate().rev() {
            let length = if a == b {
                value(&best, row + 1, column + 1) + 1
            } else {
                value(&best, row + 1, column).max(value(&best, row, column + 1))
            };
            if let Some(cell) = best.get_mut(row * width + column) {
                *cell = length;
            }
        }
    }
    let mut out = Vec::new();
    let (mut row, mut column) = (0, 0);
    loop {
        match (old.get(row), new.get(column)) {
            (None, None) => return out,
            (Some(a), Some(b)) if a == b => {
                out.push((Kind::Same, *a));
                row += 1;
                column += 1;
            }
            (Some(a), b)
                if b.is_none()
                    || value(&best, row + 1, column) >= value(&best, row, column + 1) =>
            {
                out.push(gone(a));
                row += 1;
            }
            (_, Some(b)) => {
                out.push(added(b));
                column += 1;
            }
            (Some(a), None) => {
                out.push(gone(a));
                row += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences() {
        let numbers: Vec<String> = (1..=20).map(|n| n.to_string()).collect();
        let old = numbers.join("\n");
        assert_eq!(unified("a", "b", &old, &old), "");
        let new = old.replace("\n3\n", "\n3\nx\n").replace("\n15\n", "\ny\n");
        assert_eq!(
            unified("a", "b", &old, &new),
            "--- a\n+++ b\n@@ -1,6 +1,7 @@\n 1\n 2\n 3\n+x\n 4\n 5\n 6\n\
             @@ -12,7 +13,7 @@\n 12\n 13\n 14\n-15\n+y\n 16\n 17\n 18"
        );
        assert_eq!(
            unified("a", "b", "", "x\n"),
            "--- a\n+++ b\n@@ -0,0 +1,1 @@\n+x"
        );
        assert_eq!(
            unified("a", "b", "p\nq\n", "p\n"),
            "--- a\n+++ b\n@@ -1,2 +1,1 @@\n p\n-q"
        );
    }
}
