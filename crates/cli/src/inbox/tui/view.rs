//! Draws the model. Only the terminal's own sixteen colours, so that it fits
//! whatever the user has chosen.

use std::time::Instant;

use countersign_host::dialog::visible;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style, Stylize as _};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Paragraph, Wrap};

use super::model::{Mode, Model, Row};

/// From this width on, list and question stand side by side.
const WIDE: u16 = 100;

/// From this width on, the help about keys fits one line.
const ROOMY: u16 = 96;

/// Where the list was drawn, to know what a click meant.
#[derive(Clone, Copy, Debug, Default)]
pub struct Drawn {
    pub list: Rect,
    pub first_row: usize,
}

/// Draws everything.
pub fn draw(frame: &mut Frame<'_>, model: &Model, now: Instant) -> Drawn {
    let foot_height = if frame.area().width >= ROOMY { 2 } else { 3 };
    let [head, body, foot] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(4),
        Constraint::Length(foot_height),
    ])
    .areas(frame.area());
    frame.render_widget(title(model), head);
    let drawn = if model.looking_back {
        history(frame, model, body);
        Drawn::default()
    } else {
        let halves = if body.width >= WIDE {
            Layout::horizontal([Constraint::Percentage(40), Constraint::Percentage(60)])
        } else {
            Layout::vertical([Constraint::Percentage(40), Constraint::Percentage(60)])
        };
        let [list_area, detail_area] = halves.areas(body);
        let drawn = list(frame, model, list_area, now);
        detail(frame, model, detail_area);
        drawn
    };
    frame.render_widget(footer(model), foot);
    drawn
}

fn title(model: &Model) -> Paragraph<'static> {
    let count = model.waiting.len();
    let mut spans = vec![
        Span::from(" countersign inbox ").reversed(),
        Span::from(format!(" {} · {count} waiting", visible(&model.id))),
    ];
    if !model.filter.is_empty() {
        spans.push(Span::from(format!(" · filter: {}", visible(&model.filter))).cyan());
    }
    Paragraph::new(Line::from(spans))
}

fn list(frame: &mut Frame<'_>, model: &Model, area: Rect, now: Instant) -> Drawn {
    let block = Block::default().borders(Borders::TOP).title(" questions ");
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let rows = model.rows();
    if rows.is_empty() {
        let text = if model.waiting.is_empty() {
            "Nothing waits. `countersign inbox --id` tells how to point a run here."
        } else {
            "Nothing fits the filter. Esc clears it."
        };
        frame.render_widget(Paragraph::new(text).dim().wrap(Wrap { trim: true }), inner);
        return Drawn::default();
    }
    let current = rows.iter().position(|row| match row {
        Row::Question(index) => model
            .waiting
            .get(*index)
            .is_some_and(|it| Some(it.question.request_id.as_str()) == model.current.as_deref()),
        Row::Session(..) => false,
    });
    let height = usize::from(inner.height);
    let first_row = current
        .unwrap_or(0)
        .saturating_sub(height.saturating_sub(1));
    let lines: Vec<Line<'_>> = rows
        .iter()
        .enumerate()
        .skip(first_row)
        .take(height)
        .map(|(at, row)| match row {
            Row::Session(session, agent) => {
                Line::from(format!("{} · {}", visible(agent), visible(session))).bold()
            }
            Row::Question(index) => question_row(
                model,
                *index,
                Some(at) == current,
                usize::from(inner.width),
                now,
            ),
        })
        .collect();
    frame.render_widget(Paragraph::new(lines), inner);
    Drawn {
        list: inner,
        first_row,
    }
}

fn question_row(
    model: &Model,
    index: usize,
    here: bool,
    width: usize,
    now: Instant,
) -> Line<'static> {
    let Some(it) = model.waiting.get(index) else {
        return Line::default();
    };
    let mark = if model.marked.contains(&it.question.request_id) {
        '●'
    } else {
        ' '
    };
    let cursor = if here { '▸' } else { ' ' };
    let waited = waited(now.saturating_duration_since(it.since).as_secs());
    let room = width.saturating_sub(waited.len() + 6);
    let what = cut(&summary(it), room);
    let text = format!("{cursor}{mark} {what:<room$} {waited} ");
    let style = if here {
        Style::default().add_modifier(Modifier::REVERSED)
    } else {
        Style::default()
    };
    Line::styled(text, style)
}

fn summary(it: &super::super::serve::Waiting) -> String {
    let text = |key: &str| it.facts.get(key).and_then(serde_json::Value::as_str);
    let summary = match (text("surface"), text("value")) {
        (Some(surface), Some(value)) => format!("{surface} {value}"),
        _ => it.question.title.clone(),
    };
    visible(&summary).replace('\n', "⏎")
}

fn detail(frame: &mut Frame<'_>, model: &Model, area: Rect) {
    let beside = area.x > 0;
    let borders = if beside {
        Borders::TOP | Borders::LEFT
    } else {
        Borders::TOP
    };
    let block = Block::default().borders(borders).title(" asks ");
    let Some(it) = model.current() else {
        frame.render_widget(block, area);
        return;
    };
    let value = it.facts.get("value").and_then(serde_json::Value::as_str);
    let value = value.map(visible).unwrap_or_default();
    let lines: Vec<Line<'_>> = visible(&it.question.text)
        .lines()
        .map(|line| {
            let decided = value
                .lines()
                .next()
                .is_some_and(|it| !it.is_empty() && line.contains(it));
            let line = Line::from(line.to_owned());
            if decided {
                line.style(
                    Style::default()
                        .fg(Color::Yellow)
                        .add_modifier(Modifier::BOLD),
                )
            } else {
                line
            }
        })
        .collect();
    let scroll = u16::try_from(model.scroll).unwrap_or(u16::MAX);
    let text = Paragraph::new(lines)
        .block(block)
        .wrap(Wrap { trim: false })
        .scroll((scroll, 0));
    frame.render_widget(text, area);
}

fn history(frame: &mut Frame<'_>, model: &Model, area: Rect) {
    let block = Block::default()
        .borders(Borders::TOP)
        .title(" decided, newest first ");
    let lines: Vec<Line<'_>> = model
        .history
        .iter()
        .map(|line| {
            let colour = if line.starts_with("allowed") {
                Color::Green
            } else if line.starts_with("denied") {
                Color::Red
            } else {
                Color::Magenta
            };
            Line::styled(line.clone(), Style::default().fg(colour))
        })
        .collect();
    let scroll = u16::try_from(model.scroll).unwrap_or(u16::MAX);
    let text = Paragraph::new(lines).block(block).scroll((scroll, 0));
    frame.render_widget(text, area);
}

fn footer(model: &Model) -> Paragraph<'static> {
    let first = match (&model.mode, &model.notice) {
        (Mode::Reason(text, ids), _) => {
            let count = if ids.len() > 1 {
                format!(" for {}", ids.len())
            } else {
                String::new()
            };
            Line::from(format!("reason{count}: {}▏", visible(text))).yellow()
        }
        (Mode::Filter, _) => Line::from(format!("filter: {}▏", visible(&model.filter))).cyan(),
        (Mode::Commands, Some(notice)) => Line::from(visible(notice).replace('\n', " ")).yellow(),
        (Mode::Commands, None) if !model.marked.is_empty() => Line::from(format!(
            "{} marked: one answer for all of them",
            model.marked.len()
        ))
        .cyan(),
        (Mode::Commands, None) => Line::default(),
    };
    let keys = match model.mode {
        Mode::Commands if model.looking_back => "h back · q quit",
        Mode::Commands => {
            "y once s subagent a session e everywhere n no r reason · space mark / filter h history q quit"
        }
        Mode::Reason(..) => "enter deny · esc back",
        Mode::Filter => "enter keep · esc clear",
    };
    Paragraph::new(vec![first, Line::from(keys).dim()]).wrap(Wrap { trim: true })
}

fn waited(seconds: u64) -> String {
    match seconds {
        ..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        _ => format!("{}h", seconds / 3600),
    }
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(width.saturating_sub(1)).collect();
    cut.push('…');
    cut
}
