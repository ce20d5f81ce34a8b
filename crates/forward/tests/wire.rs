//! The messages against what other versions and implementations write.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failure here is a failed test"
)]

use countersign_forward::limits;
use countersign_forward::sign::{
    Digest, InheritedKey, PublicKey, Refused, SessionKey, answer_key_value, inherited_key, verify,
};
use countersign_forward::wire::{
    AnswerState, Decider, Heartbeat, LinkVerdict, Process, Proof, Request, Response, ResponseFile,
    Source, Unreadable, Via,
};
use serde_json::{Value, json};

const REQUEST: &str = include_str!("golden/request.json");
const RESPONSE: &str = include_str!("golden/response.json");
const HEARTBEAT: &str = include_str!("golden/heartbeat.json");

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

#[test]
fn golden_files_are_read_and_written_byte_for_byte() {
    let request = Request::read(REQUEST.trim().as_bytes()).unwrap();
    assert_eq!(text(request.write()), REQUEST.trim());
    let response = ResponseFile::read(RESPONSE.trim().as_bytes(), 0).unwrap();
    assert_eq!(text(response.write()), RESPONSE.trim());
    let heartbeat = Heartbeat::read(HEARTBEAT.trim().as_bytes()).unwrap();
    assert_eq!(text(heartbeat.write()), HEARTBEAT.trim());
}

/// Version skew: what each version of the predecessor writes is understood.
#[test]
fn requests_of_older_children() {
    // 20.7.3: a text instead of a payload, no facts.
    let old = json!({
        "id": "1796074998055-8435jrue-14681", "createdAt": 1_796_074_998_055_u64,
        "requesterSessionId": "C", "targetSessionId": "P", "requesterAgentName": "unknown",
        "message": "Current agent requested bash command 'npm test'. Allow this command?",
        "source": "tool_call", "surface": "bash", "value": "npm test",
        "sessionApproval": { "surface": "bash", "patterns": ["npm test*"] },
    });
    let request = Request::read(old.to_string().as_bytes()).unwrap();
    assert!(request.message.is_some());
    assert_eq!(request.access_intent, None);
    assert_eq!(request.process, None);
    assert_eq!(request.session_approval.unwrap().patterns, ["npm test*"]);
    // Older still: required fields only.
    let bare = json!({
        "id": "1", "createdAt": 1.5, "requesterSessionId": "unknown",
        "targetSessionId": "P", "requesterAgentName": "unknown",
    });
    let request = Request::read(bare.to_string().as_bytes()).unwrap();
    assert_eq!(request.created_at, 1);
    assert_eq!(request.source, None);
}

#[test]
fn fields_of_newer_versions_are_kept_for_the_next_hop() {
    let mut value: Value = serde_json::from_str(REQUEST).unwrap();
    value["shiny"] = json!({ "new": [1] });
    value["sessionApproval"]["width"] = json!("exact");
    value["accessIntent"]["effect"] = json!("write");
    let request = Request::read(value.to_string().as_bytes()).unwrap();
    let again: Value = serde_json::from_slice(&request.write()).unwrap();
    assert_eq!(again["shiny"], json!({ "new": [1] }));
    assert_eq!(again["sessionApproval"]["width"], "exact");
    assert_eq!(again["accessIntent"]["effect"], "write");
}

#[test]
fn each_required_field_is_required() {
    for field in [
        "id",
        "createdAt",
        "requesterSessionId",
        "targetSessionId",
        "requesterAgentName",
    ] {
        let mut value: Value = serde_json::from_str(REQUEST).unwrap();
        for wrong in [None, Some(json!(null)), Some(json!([])), Some(json!(true))] {
            match wrong {
                None => drop(value.as_object_mut().unwrap().remove(field)),
                Some(wrong) => value[field] = wrong,
            }
            let read = Request::read(value.to_string().as_bytes());
            assert_eq!(read, Err(Unreadable::Field(field)), "{field}");
        }
    }
    for (field, from) in [
        ("sessionId", HEARTBEAT),
        ("pid", HEARTBEAT),
        ("updatedAt", HEARTBEAT),
    ] {
        let mut value: Value = serde_json::from_str(from).unwrap();
        value[field] = json!({});
        let read = Heartbeat::read(value.to_string().as_bytes());
        assert_eq!(read, Err(Unreadable::Field(field)));
    }
    for field in ["approved", "state", "responderSessionId"] {
        let mut value: Value = serde_json::from_str(RESPONSE).unwrap();
        value[field] = json!(7);
        let read = ResponseFile::read(value.to_string().as_bytes(), 0);
        assert_eq!(read, Err(Unreadable::Field(field)));
    }
}

#[test]
fn each_optional_field_is_dropped_alone() {
    let whole = Request::read(REQUEST.as_bytes()).unwrap();
    for field in ["payload", "source", "surface", "value", "sessionApproval"] {
        for wrong in [json!(7), json!([7]), json!({ "x": 7 })] {
            let mut value: Value = serde_json::from_str(REQUEST).unwrap();
            value[field] = wrong.clone();
            let request = Request::read(value.to_string().as_bytes()).unwrap();
            assert_eq!(request.access_intent, whole.access_intent, "{field}");
            assert_eq!(request.process, whole.process, "{field}");
            match field {
                "payload" => assert!(request.payload.is_none() || wrong.is_object()),
                "source" => assert_eq!(request.source, None),
                "surface" => assert_eq!(request.surface, None),
                "value" => assert_eq!(request.value, None),
                _ => assert_eq!(request.session_approval, None),
            }
        }
    }
    let mut value: Value = serde_json::from_str(REQUEST).unwrap();
    value["countersign"] = json!("x");
    let request = Request::read(value.to_string().as_bytes()).unwrap();
    assert_eq!(request.process, None);
    assert_eq!(request.source, Some(Source::ToolCall));
}

/// Dropping one of these would make the judgement looser, so all facts go, and
/// a request without facts is asked about.
#[test]
fn facts_are_all_or_nothing() {
    for (field, wrong) in [
        ("surface", json!("")),
        ("surface", json!(7)),
        ("matchValues", json!([])),
        ("matchValues", json!(["ok", 7])),
        ("matchValues", json!("sudo rm build/x")),
        ("boundaryValue", json!(7)),
        ("floor", json!(true)),
        ("floor", json!(["<floor>"])),
        ("askingUnits", json!([])),
        ("askingUnits", json!({})),
        ("askingUnits", json!([{ "floor": "x" }])),
        ("askingUnits", json!([{ "command": "ls", "floor": 7 }])),
        ("askingUnits", json!([{ "command": "ls" }, 7])),
    ] {
        let mut value: Value = serde_json::from_str(REQUEST).unwrap();
        value["accessIntent"][field] = wrong.clone();
        let request = Request::read(value.to_string().as_bytes()).unwrap();
        assert_eq!(request.access_intent, None, "{field}: {wrong}");
    }
    for (field, wrong) in [("requesterCwd", json!(7)), ("principal", json!("me"))] {
        let mut value: Value = serde_json::from_str(REQUEST).unwrap();
        value["accessIntent"][field] = wrong;
        let request = Request::read(value.to_string().as_bytes()).unwrap();
        assert!(request.access_intent.is_some(), "{field}");
    }
}

#[test]
fn bounds() {
    let large = vec![b' '; limits::REQUEST_BYTES + 1];
    assert!(matches!(
        Request::read(&large),
        Err(Unreadable::TooLarge { .. })
    ));
    let large = vec![b' '; limits::RESPONSE_BYTES + 1];
    assert!(matches!(
        ResponseFile::read(&large, 0),
        Err(Unreadable::TooLarge { .. })
    ));
    let large = vec![b' '; limits::HEARTBEAT_BYTES + 1];
    assert!(matches!(
        Heartbeat::read(&large),
        Err(Unreadable::TooLarge { .. })
    ));
    let deep = "[".repeat(100_000);
    assert!(matches!(
        Request::read(deep.as_bytes()),
        Err(Unreadable::NotJson(_))
    ));
    let mut response = ResponseFile::read(RESPONSE.as_bytes(), 0).unwrap();
    response.response.denial_reason = Some("é".repeat(1_000_000));
    let written = response.write();
    let again = ResponseFile::read(&written, 0).unwrap();
    let reason = again.response.denial_reason.unwrap();
    assert!(reason.len() <= limits::REASON_BYTES);
}

#[test]
fn what_is_no_message() {
    for bytes in [
        "",
        "null",
        "7",
        "[]",
        "{",
        "{\"id\":",
        "\u{feff}{}",
        "{\"id\":\"\\ud800\"}",
    ] {
        assert!(Request::read(bytes.as_bytes()).is_err(), "{bytes}");
        assert!(ResponseFile::read(bytes.as_bytes(), 0).is_err(), "{bytes}");
        assert!(Heartbeat::read(bytes.as_bytes()).is_err(), "{bytes}");
    }
    // Every prefix of a message is torn, none is read as another one.
    for end in 0..REQUEST.trim().len() {
        assert!(Request::read(&REQUEST.as_bytes()[..end]).is_err(), "{end}");
    }
}

#[test]
fn an_answer_that_contradicts_itself_is_none() {
    for (approved, state) in [
        (true, "denied"),
        (true, "denied_with_reason"),
        (false, "approved"),
        (false, "approved_for_session"),
        (false, "approved_for_serving_session"),
    ] {
        let value = json!({ "approved": approved, "state": state, "responderSessionId": "P" });
        let read = ResponseFile::read(value.to_string().as_bytes(), 0);
        assert_eq!(read, Err(Unreadable::Contradiction));
    }
}

#[test]
fn responses_of_older_parents() {
    let value = json!({ "approved": true, "state": "approved", "responderSessionId": "P" });
    let file = ResponseFile::read(value.to_string().as_bytes(), 99).unwrap();
    assert_eq!(file.response.responded_at, 99);
    assert_eq!(file.response.decided_by, None);
    assert_eq!(file.proof, None);
    let decider = Decider::forwarded("P", file.response.decided_by);
    assert_eq!(
        decider.to_json(),
        json!({ "kind": "forwarded", "responderSessionId": "P", "decision": null })
    );
    assert_eq!(decider.effective(), None);
}

#[test]
fn a_number_that_is_no_process_is_no_heartbeat() {
    for pid in [
        json!(0),
        json!(-1),
        json!(1.5),
        json!("7"),
        json!(4_294_967_296_u64),
        json!(null),
    ] {
        let value = json!({ "sessionId": "P", "pid": pid, "updatedAt": 1 });
        let read = Heartbeat::read(value.to_string().as_bytes());
        assert_eq!(read, Err(Unreadable::Field("pid")), "{pid}");
    }
    // A process that contradicts the number everybody else reads is dropped.
    let value = json!({
        "sessionId": "P", "pid": 7, "updatedAt": 1,
        "countersign": { "process": { "pid": 8, "start": "x" }, "key": 7 },
    });
    let beat = Heartbeat::read(value.to_string().as_bytes()).unwrap();
    assert_eq!(beat.process, Process::of(7));
    assert_eq!(beat.key, None);
}

#[test]
fn every_decider_survives_the_way() {
    let deciders = [
        Decider::User { via: Via::Dialog },
        Decider::User { via: Via::Select },
        Decider::Authorizer {
            name: "night".into(),
            verdict: LinkVerdict::Deny,
            reason: None,
        },
        Decider::Rule {
            surface: "bash".into(),
            pattern: None,
            origin: Some("global".into()),
            reason: Some("no".into()),
        },
        Decider::SessionApproval {
            surface: "path".into(),
            pattern: None,
        },
        Decider::Yolo { pattern: None },
        Decider::InfrastructureRead,
        Decider::Unavailable { reason: "x".into() },
        Decider::GateError { reason: "x".into() },
        Decider::forwarded("P", Some(Decider::forwarded("Q", None))),
    ];
    for decider in deciders {
        assert_eq!(Decider::read(&decider.to_json()), Some(decider));
    }
    let seed = json!({
        "kind": "forwarded", "responderSessionId": "019ff969-c34c-70be-9034-fae19c852932",
        "decision": { "kind": "user", "via": "dialog" },
    });
    assert_eq!(Decider::read(&seed).unwrap().to_json(), seed);
}

#[test]
fn deciders_are_read_whole_or_not_at_all() {
    for value in [
        json!(null),
        json!("user"),
        json!({ "kind": "oracle" }),
        json!({ "kind": "user" }),
        json!({ "kind": "user", "via": "telepathy" }),
        json!({ "kind": "rule", "pattern": "x" }),
        json!({ "kind": "rule", "surface": "bash", "pattern": 7 }),
        json!({ "kind": "unavailable" }),
        json!({ "kind": "forwarded", "responderSessionId": "P", "decision": { "kind": "user" } }),
    ] {
        assert_eq!(Decider::read(&value), None, "{value}");
    }
    // An unknown one never costs the answer it came with.
    let value = json!({
        "approved": true, "state": "approved", "responderSessionId": "P",
        "decidedBy": { "kind": "oracle" },
    });
    let file = ResponseFile::read(value.to_string().as_bytes(), 0).unwrap();
    assert_eq!(file.response.decided_by, None);
}

#[test]
fn frames_nest_four_deep() {
    let mut value = json!({ "kind": "user", "via": "dialog" });
    for depth in 1..=5 {
        value = json!({ "kind": "forwarded", "responderSessionId": "P", "decision": value });
        assert_eq!(Decider::read(&value).is_some(), depth <= 4, "{depth}");
    }
    let mut decider = Decider::User { via: Via::Dialog };
    for _ in 0..10 {
        decider = Decider::forwarded("P", Some(decider));
        assert!(Decider::read(&decider.to_json()).is_some());
    }
}

fn signed() -> (SessionKey, Request, Digest, Response, Proof) {
    let key = SessionKey::from_secret(&[7; 32]);
    let request = Request::read(REQUEST.as_bytes()).unwrap();
    let digest = Digest::of(REQUEST.as_bytes());
    let response = Response {
        state: AnswerState::Approved,
        denial_reason: None,
        responder_session_id: "P".into(),
        responded_at: 5,
        decided_by: Some(Decider::User { via: Via::Dialog }),
    };
    let proof = key.sign(&request, digest, &response);
    (key, request, digest, response, proof)
}

#[test]
fn a_proof_fits_one_request_and_one_answer() {
    let (key, request, digest, response, proof) = signed();
    let verified = verify(&proof, key.public(), &request, digest);
    assert_eq!(verified, Ok(response));
    let other_digest = Digest::of(b"edited");
    let refused = verify(&proof, key.public(), &request, other_digest);
    assert_eq!(refused, Err(Refused::OtherRequest));
    for change in [
        |request: &mut Request| request.id = "perm-2".into(),
        |request: &mut Request| request.requester_session_id = "D".into(),
        |request: &mut Request| request.target_session_id = "Q".into(),
    ] {
        let mut other = request.clone();
        change(&mut other);
        let refused = verify(&proof, key.public(), &other, digest);
        assert_eq!(refused, Err(Refused::OtherRequest));
    }
    let another = SessionKey::from_secret(&[8; 32]).public();
    let refused = verify(&proof, another, &request, digest);
    assert_eq!(refused, Err(Refused::OtherKey));
}

#[test]
fn no_changed_byte_of_a_proof_is_accepted() {
    let (key, request, digest, response, proof) = signed();
    for index in 0..proof.payload.len() {
        let mut bytes = proof.payload.clone().into_bytes();
        bytes[index] ^= 1;
        let Ok(payload) = String::from_utf8(bytes) else {
            continue;
        };
        let forged = Proof {
            payload,
            ..proof.clone()
        };
        let verified = verify(&forged, key.public(), &request, digest);
        assert_eq!(verified, Err(Refused::BadSignature), "{index}");
    }
    for index in 0..64 {
        let mut forged = proof.clone();
        forged.signature[index] ^= 1;
        assert!(verify(&forged, key.public(), &request, digest).is_err());
    }
    // What stands beside a proof does not matter.
    let file = ResponseFile {
        response: Response {
            state: AnswerState::Denied,
            ..response.clone()
        },
        proof: Some(proof),
        requester: None,
    };
    let file = ResponseFile::read(&file.write(), 0).unwrap();
    let verified = verify(&file.proof.unwrap(), key.public(), &request, digest);
    assert_eq!(verified, Ok(response));
}

#[test]
fn a_key_for_all_is_no_key() {
    // The point of small order under which some verifiers accept anything.
    let (_, request, digest, _, mut proof) = signed();
    let mut point = [0; 32];
    point[0] = 1;
    proof.key = PublicKey::from_bytes(point);
    proof.signature = [0; 64];
    proof.signature[0] = 1;
    assert!(verify(&proof, proof.key, &request, digest).is_err());
}

#[test]
fn inherited_keys_are_bound_to_their_session() {
    let key = SessionKey::from_secret(&[7; 32]).public();
    let other = SessionKey::from_secret(&[8; 32]).public();
    let value = answer_key_value(None, "a b,=/c", key);
    let value = answer_key_value(Some(&value), "Q", other);
    assert_eq!(
        inherited_key(Some(&value), "a b,=/c"),
        InheritedKey::Key(key)
    );
    assert_eq!(inherited_key(Some(&value), "Q"), InheritedKey::Key(other));
    assert_eq!(inherited_key(Some(&value), "R"), InheritedKey::None);
    assert_eq!(inherited_key(None, "Q"), InheritedKey::None);
    assert_eq!(inherited_key(Some("Q=notakey"), "Q"), InheritedKey::Broken);
    let replaced = answer_key_value(Some(&value), "Q", key);
    assert_eq!(inherited_key(Some(&replaced), "Q"), InheritedKey::Key(key));
    assert_eq!(replaced.matches("Q=").count(), 1);
}
