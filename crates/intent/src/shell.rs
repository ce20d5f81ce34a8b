//! Writing a list of words as one command.

/// The words as a bash command that means exactly them.
#[must_use]
pub fn quote_words<'w>(words: impl Iterator<Item = &'w str>) -> String {
    let mut out = String::new();
    for word in words {
        if !out.is_empty() {
            out.push(' ');
        }
        let plain = !word.is_empty()
            && word
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"_-./,:@%+".contains(&b));
        if plain {
            out.push_str(word);
        } else {
            out.push('\'');
            out.push_str(&word.replace('\'', r"'\''"));
            out.push('\'');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::quote_words;

    #[test]
    fn words_survive() {
        let words = ["rm", "-rf", "a b", "it's", ""];
        assert_eq!(quote_words(words.into_iter()), r"rm -rf 'a b' 'it'\''s' ''");
    }
}
