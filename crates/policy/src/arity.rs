//! How many words of a command name what it does: `git push origin` is a
//! `git push` (spec 04 §1.5).

/// Words to keep, by the words a command starts with. Longer entries win.
const ARITY: &[(&str, usize)] = &[
    ("bun add", 2),
    ("bun run", 3),
    ("bun x", 3),
    ("bundle exec", 3),
    ("deno compile", 3),
    ("deno run", 3),
    ("deno task", 3),
    ("docker compose", 3),
    ("docker container", 3),
    ("docker image", 3),
    ("docker network", 3),
    ("docker volume", 3),
    ("gh issue", 3),
    ("gh pr", 3),
    ("gh repo", 3),
    ("go run", 3),
    ("npm exec", 3),
    ("npm run", 3),
    ("pnpm dlx", 3),
    ("pnpm exec", 3),
    ("pnpm run", 3),
    ("podman compose", 3),
    ("uv pip", 3),
    ("uv run", 3),
    ("yarn run", 3),
    ("apt", 2),
    ("apt-get", 2),
    ("aws", 3),
    ("az", 3),
    ("bazel", 2),
    ("brew", 2),
    ("bun", 2),
    ("bundle", 2),
    ("cargo", 2),
    ("deno", 2),
    ("dnf", 2),
    ("docker", 2),
    ("fly", 2),
    ("gcloud", 3),
    ("gh", 2),
    ("git", 2),
    ("go", 2),
    ("helm", 2),
    ("hg", 2),
    ("kubectl", 2),
    ("npm", 2),
    ("npx", 2),
    ("pip", 2),
    ("pip3", 2),
    ("pnpm", 2),
    ("podman", 2),
    ("pulumi", 2),
    ("service", 2),
    ("svn", 2),
    ("systemctl", 2),
    ("terraform", 2),
    ("tofu", 2),
    ("uv", 2),
    ("vercel", 2),
    ("wrangler", 2),
    ("yarn", 2),
    ("yum", 2),
];

/// How many of `words` name what the command does; at least one where there
/// are words, never more than there are.
pub(crate) fn meaningful(words: &[&str]) -> usize {
    let arity = (1..=2.min(words.len())).rev().find_map(|count| {
        let head = words.get(..count)?.join(" ").to_lowercase();
        ARITY
            .iter()
            .find(|(key, _)| *key == head)
            .map(|(_, arity)| *arity)
    });
    arity.unwrap_or(1).min(words.len())
}
