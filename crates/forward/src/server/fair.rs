use std::collections::BTreeMap;

use super::Waiting;

/// Orders questions so that no child waits behind all of another's: one of
/// each in turn, and first the child that was answered longest ago.
pub(super) fn order(waiting: Vec<Waiting>, turns: &BTreeMap<String, u64>) -> Vec<Waiting> {
    let mut by_child: BTreeMap<(u64, u64, String), Vec<Waiting>> = BTreeMap::new();
    let mut first_seen: BTreeMap<String, u64> = BTreeMap::new();
    let mut waiting = waiting;
    waiting.sort_by_key(|question| question.order);
    for question in waiting {
        let child = question.request.requester_session_id.clone();
        let first = *first_seen.entry(child.clone()).or_insert(question.order);
        let turn = turns.get(&child).copied().unwrap_or_default();
        by_child
            .entry((turn, first, child))
            .or_default()
            .push(question);
    }
    let mut queues: Vec<_> = by_child.into_values().map(Vec::into_iter).collect();
    let mut ordered = Vec::new();
    loop {
        let round: Vec<Waiting> = queues.iter_mut().filter_map(Iterator::next).collect();
        if round.is_empty() {
            return ordered;
        }
        ordered.extend(round);
    }
}
