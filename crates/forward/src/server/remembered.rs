use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::limits::{REANSWER_AFTER_MS, REMEMBERED_ANSWERS};
use crate::sign::Digest;
use crate::wire::Response;

/// The answers given, so that a requester that lost one gets the same again
/// and nobody is asked twice.
#[derive(Clone, Debug, Default)]
pub(super) struct Remembered {
    answers: BTreeMap<(String, Digest), Kept>,
    oldest: VecDeque<(String, Digest)>,
}

#[derive(Clone, Debug)]
struct Kept {
    response: Response,
    /// Since when the request lies there again without its answer.
    since: Option<u64>,
}

/// What to do about a request that was answered before.
pub(super) enum Again {
    /// Its requester may just be collecting.
    NotYet,
    /// Give the same answer again.
    Now(Response),
}

impl Remembered {
    pub(super) fn keep(&mut self, id: &str, digest: Digest, response: Response) {
        let key = (id.to_owned(), digest);
        let kept = Kept {
            response,
            since: None,
        };
        if self.answers.insert(key.clone(), kept).is_none() {
            self.oldest.push_back(key);
        }
        if self.oldest.len() > REMEMBERED_ANSWERS
            && let Some(oldest) = self.oldest.pop_front()
        {
            self.answers.remove(&oldest);
        }
    }

    pub(super) fn fingerprint(&self) -> Vec<(&str, Digest, Option<u64>, &str)> {
        let answers = self.answers.iter();
        answers
            .map(|((id, digest), kept)| {
                (
                    id.as_str(),
                    *digest,
                    kept.since,
                    kept.response.state.as_str(),
                )
            })
            .collect()
    }

    pub(super) fn again(&mut self, id: &str, digest: Digest, now: u64) -> Option<Again> {
        let kept = self.answers.get_mut(&(id.to_owned(), digest))?;
        let since = *kept.since.get_or_insert(now);
        if now < since.saturating_add(REANSWER_AFTER_MS) {
            return Some(Again::NotYet);
        }
        kept.since = None;
        Some(Again::Now(kept.response.clone()))
    }

    pub(super) fn present(&mut self, ids: &BTreeSet<String>) {
        // Only for those whose file is gone does the waiting start anew.
        for ((id, _), kept) in &mut self.answers {
            if kept.since.is_some() && !ids.contains(id) {
                kept.since = None;
            }
        }
    }
}
