//! Times of the log: ISO 8601 in UTC, so their texts sort as they do.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::exit::Failure;

/// Milliseconds since 1970 of a text like `2026-08-20T10:11:12.345Z`.
pub fn millis(text: &str) -> Option<i64> {
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let mut date = date.splitn(3, '-').map(str::parse::<i64>);
    let (year, month, day) = (date.next()?.ok()?, date.next()?.ok()?, date.next()?.ok()?);
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let mut time = time.splitn(3, ':').map(str::parse::<i64>);
    let (hour, minute, second) = (time.next()?.ok()?, time.next()?.ok()?, time.next()?.ok()?);
    let thousandths = fraction
        .bytes()
        .chain(*b"000")
        .take(3)
        .try_fold(0_i64, |sum, digit| {
            digit
                .is_ascii_digit()
                .then(|| sum * 10 + i64::from(digit - b'0'))
        })?;
    let in_range = (0..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && (0..24).contains(&hour)
        && (0..60).contains(&minute)
        && (0..=60).contains(&second);
    in_range.then(|| {
        (((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second) * 1000 + thousandths
    })
}

/// Days since 1970 of a Gregorian date. Years count from March, so that the
/// leap day is the last of its year.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The date of a day since 1970: `2026-08-20`.
pub fn date(day: i64) -> String {
    let from_march = day + 719_468;
    let era = from_march.div_euclid(146_097);
    let of_era = from_march.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The present in milliseconds since 1970.
pub fn now() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or(Duration::ZERO);
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// A point in time as the user says it: `2026-08-20`, `2026-08-20T10:00:00Z`,
/// or as long ago as `90s`, `15m`, `2h`, `3d`.
pub fn parse_point(text: &str) -> Result<i64, Failure> {
    let whole_day = format!("{text}T00:00:00Z");
    if let Some(point) = millis(text).or_else(|| millis(&whole_day)) {
        return Ok(point);
    }
    let unit = text.chars().last().and_then(|unit| match unit {
        's' => Some(1000),
        'm' => Some(60_000),
        'h' => Some(3_600_000),
        'd' => Some(86_400_000),
        _ => None,
    });
    let ago = unit.and_then(|unit| {
        let count: i64 = text.get(..text.len() - 1)?.parse().ok()?;
        count.checked_mul(unit).filter(|ago| *ago >= 0)
    });
    match ago {
        Some(ago) => Ok(now().saturating_sub(ago)),
        None => Err(Failure::new(format!("`{text}` is not a time")).help(
            "use `2h` for two hours ago (s, m, h, d), `2026-08-20`, or `2026-08-20T10:00:00Z`",
        )),
    }
}

/// A span of milliseconds in words: `0.3 s`, `12 s`, `4 min`, `2 h`.
pub fn span(millis: i64) -> String {
    match millis {
        ..1000 => format!("{millis} ms"),
        1000..10_000 => format!("{}.{} s", millis / 1000, millis / 100 % 10),
        10_000..120_000 => format!("{} s", millis / 1000),
        120_000..7_200_000 => format!("{} min", millis / 60_000),
        _ => format!("{} h", millis / 3_600_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_times() {
        assert_eq!(millis("1970-01-01T00:00:00.000Z"), Some(0));
        assert_eq!(millis("2000-02-29T00:00:00.123Z"), Some(951_782_400_123));
        assert_eq!(millis("2026-12-31T23:59:59.999Z"), Some(1_798_761_599_999));
        assert_eq!(millis("2026-12-31T23:59:59Z"), Some(1_798_761_599_000));
        for wrong in [
            "",
            "Z",
            "2026-13-01T00:00:00Z",
            "2026-01-01",
            "2026-01-01T00:00:00.xZ",
        ] {
            assert_eq!(millis(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn every_day_has_its_date() {
        for day in 0..40_000 {
            assert_eq!(
                millis(&format!("{}T00:00:00Z", date(day))),
                Some(day * 86_400_000)
            );
        }
    }

    #[test]
    fn reads_points() {
        assert_eq!(parse_point("1970-01-02").unwrap(), 86_400_000);
        assert!(parse_point("2h").unwrap() <= now() - 7_200_000);
        for wrong in [
            "h",
            "2",
            "2w",
            "-3h",
            "yesterday",
            "99999999999999999999d",
            "é",
        ] {
            assert!(parse_point(wrong).is_err(), "{wrong}");
        }
    }
}
