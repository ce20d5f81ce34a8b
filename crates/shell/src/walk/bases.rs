//! The directories a command may start in.

use std::rc::Rc;

use crate::analysis::Base;

/// A directory with a longer name counts as unknown.
const LONGEST: usize = 1024;

/// Every directory the shell may be in at one point; none where it cannot
/// be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bases(Rc<[Base]>);

impl Bases {
    pub(crate) fn start() -> Self {
        Self(Rc::from([Base::Known(String::new())]))
    }

    pub(crate) fn unknown() -> Self {
        Self(Rc::from([Base::Unknown]))
    }

    /// A point that is not reached.
    pub(crate) fn nowhere() -> Self {
        Self(Rc::from([]))
    }

    /// The candidates. A point that seems unreachable is judged as if it
    /// could be reached from anywhere.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Base> + '_ {
        let fallback = self.0.is_empty().then_some(Base::Unknown);
        self.0.iter().cloned().chain(fallback)
    }

    /// Either of two states.
    pub(crate) fn or(&self, other: &Self, limit: usize) -> Self {
        if self.0 == other.0 || other.0.is_empty() {
            return self.clone();
        }
        if self.0.is_empty() {
            return other.clone();
        }
        let mut all = self.0.to_vec();
        for base in other.0.iter() {
            if !all.contains(base) {
                all.push(base.clone());
            }
        }
        if all.len() > limit || all.contains(&Base::Unknown) {
            return Self::unknown();
        }
        Self(Rc::from(all))
    }

    pub(crate) fn or_opt(&self, other: Option<&Self>, limit: usize) -> Self {
        other.map_or_else(|| self.clone(), |other| self.or(other, limit))
    }

    /// After `cd` to the literal `target` (`~` stands for the home directory).
    pub(crate) fn entered(&self, target: &str) -> Self {
        let next = self.iter().map(|base| match base {
            _ if target.starts_with('/') || is_home(target) => Base::Known(normalized("", target)),
            Base::Unknown => Base::Unknown,
            Base::Known(base) => Base::Known(normalized(&base, target)),
        });
        let mut all: Vec<Base> = Vec::new();
        for base in next {
            if !all.contains(&base) {
                all.push(base);
            }
        }
        let long = |base: &Base| matches!(base, Base::Known(text) if text.len() > LONGEST);
        if all.contains(&Base::Unknown) || all.iter().any(long) {
            return Self::unknown();
        }
        Self(Rc::from(all))
    }
}

fn is_home(text: &str) -> bool {
    text == "~" || text.starts_with("~/")
}

/// `base/target` as `cd` understands it: `..` is taken off the text. What
/// cannot be taken off (a leading `..`) stays.
fn normalized(base: &str, target: &str) -> String {
    let absolute = target.starts_with('/') || (base.starts_with('/') && !is_home(target));
    let joined = if target.starts_with('/') || is_home(target) || base.is_empty() {
        target.to_owned()
    } else {
        format!("{base}/{target}")
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in joined.split('/') {
        match part {
            "" | "." => {}
            ".." => match parts.last() {
                Some(last) if *last != ".." && *last != "~" => {
                    parts.pop();
                }
                None if absolute => {}
                _ => parts.push(".."),
            },
            part => parts.push(part),
        }
    }
    let text = parts.join("/");
    if absolute { format!("/{text}") } else { text }
}

/// The states after a command that succeeded, and after one that failed.
#[derive(Clone, Debug)]
pub(crate) struct Flow {
    pub ok: Bases,
    pub failed: Bases,
}

impl Flow {
    pub(crate) fn same(bases: &Bases) -> Self {
        Self {
            ok: bases.clone(),
            failed: bases.clone(),
        }
    }

    /// The state after it, whatever became of it.
    pub(crate) fn either(&self, limit: usize) -> Bases {
        self.ok.or(&self.failed, limit)
    }

    pub(crate) fn negated(self) -> Self {
        Self {
            ok: self.failed,
            failed: self.ok,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::normalized;

    #[test]
    fn folds_like_cd() {
        let cases = [
            ("", "sub", "sub"),
            ("sub", "..", ""),
            ("sub", "../..", ".."),
            ("..", "..", "../.."),
            ("", "/tmp", "/tmp"),
            ("/tmp", "a/../b", "/tmp/b"),
            ("/tmp", "../..", "/"),
            ("a", "~/x", "~/x"),
            ("~/x", "..", "~"),
            ("~", "..", "~/.."),
            ("a", "./b//c", "a/b/c"),
            ("/tmp", "~", "~"),
        ];
        for (base, target, expected) in cases {
            assert_eq!(normalized(base, target), expected, "{base} + {target}");
        }
    }
}
