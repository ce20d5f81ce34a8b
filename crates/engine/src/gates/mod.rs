//! The gates of one call (spec 02 §3): each adds the effects it finds, already
//! judged.

mod below;
mod paths;
mod shell;
mod tool;

use countersign_intent::{Intent, Kind, ToolCall};

use crate::decide::Judge;

impl Judge<'_> {
    /// Runs every gate that applies.
    pub fn call(&mut self, call: &ToolCall, intent: &Intent) {
        if call.name.trim() == "read" {
            self.skill_read(intent);
        }
        match &intent.command {
            Some(command) => {
                self.shell_paths(command);
                self.shell_command(command);
            }
            None => {
                self.tool_paths(intent);
                self.tool(intent);
            }
        }
    }

    fn tool(&mut self, intent: &Intent) {
        match intent.kind {
            Kind::Mcp => self.mcp_tool(intent),
            Kind::NativeMcp => self.native_mcp_tool(intent),
            Kind::Skill => self.skill_tool(intent),
            Kind::OtherShell => self.other_shell(intent),
            Kind::Reader | Kind::Writer | Kind::Editor => self.path_tool(intent),
            Kind::Extension | Kind::Shell => self.named_tool(intent),
        }
    }
}
