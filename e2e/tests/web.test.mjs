// The inbox in a real browser: answering, several browsers, and attacks.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { launch } from "../lib/browser.mjs";
import { ID, asker, inbox, webInbox } from "../lib/inbox.mjs";
import { makeWorld, until } from "../lib/world.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

/** Runs `body` in a world with an inbox. */
async function withInbox(body, options = {}) {
  const world = await makeWorld(options);
  const contexts = [];
  try {
    const box = await webInbox(world);
    /** Opens `link` in a browser of its own, which keeps what went wrong. */
    const open = async (link, settings = {}) => {
      const context = await browser.newContext({ viewport: { width: 1100, height: 800 }, ...settings });
      contexts.push(context);
      const page = await context.newPage();
      const faults = [];
      page.on("pageerror", (error) => faults.push(error.message));
      page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
      page.on("dialog", (dialog) => faults.push(`dialog: ${dialog.message()}`));
      page.on("request", (request) => new URL(request.url()).port === box.port || faults.push(request.url()));
      await page.goto(link);
      return Object.assign(page, { faults });
    };
    await body({ world, box, open });
  } finally {
    for (const context of contexts) await context.close();
    await world.close();
  }
}

const question = (page, text) => page.locator("article", { hasText: text });
const live = (page) => page.locator("#state.live").waitFor();
const notice = (page, text) => page.locator("#notice", { hasText: text }).waitFor();

/** Presses until it has an effect: what is pressed too soon answers nothing. */
async function press(page, key, done) {
  await until(async () => {
    if (await done()) return true;
    await page.keyboard.press(key);
    await new Promise((resume) => setTimeout(resume, 250));
    return done();
  }, `the effect of ${key}`);
}

test("a real headless run is answered from the page by keys", async () => {
  const scripts = { two: [[["bash", { command: "printf first" }]], [["bash", { command: "printf second" }]], "done"] };
  await withInbox(async ({ world, box, open }) => {
    const page = await open(box.link());
    await live(page);
    assert.equal(new URL(page.url()).hash, "", "the token is gone from the address");
    const child = world.child("[script:two] go", { parent: ID });
    await question(page, "printf first").waitFor();
    await press(page, "y", async () => (await question(page, "printf first").count()) === 0);
    await question(page, "printf second").waitFor();
    await press(page, "r", () => page.locator("form.reason input").isVisible());
    await page.keyboard.type("not on a Friday");
    await page.keyboard.press("Enter");
    assert.equal((await child).code, 0);
    const [first, second] = world.models.resultsOf("two");
    assert.equal(first, "first");
    assert.match(second, /not on a Friday/);
    const by = world.logged("permission_request.approved").map((entry) => entry.decidedBy.responderSessionId);
    assert.deepEqual(by, [ID]);
    await page.keyboard.press("h");
    await page.locator("#history tr.denied", { hasText: "printf second" }).waitFor();
    await page.locator("#history tr.allowed", { hasText: "this browser" }).waitFor();
    assert.deepEqual(page.faults, []);
    box.type("quit");
    await page.locator("#state", { hasText: "the inbox has ended" }).waitFor();
    assert.equal(await box.ended, 0);
  }, { scripts });
});

test("of two browsers the first answers, and the other is told", async () => {
  await withInbox(async ({ world, box, open }) => {
    const one = await open(box.link());
    await live(one);
    await one.click("#show-device");
    const two = await open((await one.locator("dialog code").first().textContent()) ?? "");
    await live(two);
    await one.keyboard.press("Escape");
    const run = asker(world, "ci", "make it", "make more");
    await question(two, "make it").waitFor();
    await press(one, "n", async () => (await question(one, "make it").count()) === 0);
    await notice(two, "browser 1 answered “make it”: no");
    // An answer that is on its way when another one counts.
    await question(one, "make more").waitFor();
    let resume;
    const held = new Promise((done) => (resume = done));
    await two.route("**/answer", async (route) => {
      await held;
      await route.continue();
    });
    const late = two.waitForResponse("**/answer");
    await press(two, "n", async () => (await question(two, "make more").locator("button:disabled").count()) > 0);
    await press(one, "y", async () => (await question(one, "make more").count()) === 0);
    resume();
    assert.equal((await late).status(), 409);
    await notice(two, "browser 1 answered it first: yes, once");
    assert.deepEqual((await run.all()).map((result) => result.allowed), [false, true]);
  });
});

test("several are answered at once, filtered ones are left, and what lasts is pressed twice", async () => {
  await withInbox(async ({ world, box, open }) => {
    const page = await open(box.link());
    const runs = [asker(world, "builder", "npm install left-pad"), asker(world, "builder-two", "npm test"), asker(world, "scout", "curl example.com")];
    for (const text of ["left-pad", "npm test", "curl"]) await question(page, text).waitFor();
    await page.fill("#filter", "builder");
    await until(async () => (await page.locator("article").count()) === 2, "the filter");
    for (const box of await page.locator("article input[type=checkbox]").all()) await box.check();
    await page.locator("#marked", { hasText: "2 marked" }).waitFor();
    await page.locator("#filter").blur();
    await press(page, "y", async () => (await page.locator("article").count()) === 0);
    await page.keyboard.press("Escape");
    const last = question(page, "curl");
    const everywhere = last.locator("[data-answer=everywhere]");
    await until(async () => {
      if (!(await everywhere.textContent()).includes("Press again")) await everywhere.click();
      return (await everywhere.textContent()).includes("Press again");
    }, "the first press");
    await everywhere.click();
    for (const run of runs) assert.deepEqual((await run.all()).map((result) => result.allowed), [true]);
    const kept = readFileSync(join(dirname(world.configFile), "grants.json"), "utf8");
    assert.match(kept, /"curl \*": "allow"/);
    assert.deepEqual(page.faults, []);
  });
});

test("the text of a question stays text", async () => {
  await withInbox(async ({ world, box, open }) => {
    const page = await open(box.link());
    const markup = `echo '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>' && cat \u202etxt.exe\u200b`;
    asker(world, "<b>evil</b>", markup);
    const asked = question(page, "onerror");
    await asked.waitFor();
    const shown = await asked.locator("pre").textContent();
    assert.ok(shown.includes(`<img src=x onerror="window.pwned=1">`), shown);
    assert.ok(shown.includes("\\u{202e}txt.exe\\u{200b}"), shown);
    assert.deepEqual(await asked.locator("mark").allTextContents(), [
      `echo '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>'`,
      "cat \\u{202e}txt.exe\\u{200b}",
    ]);
    assert.equal(await page.locator("h2 b, article img, article script").count(), 0);
    assert.equal(await page.evaluate(() => window.pwned), undefined);
    // Nor could a mistake in the page make markup of it.
    await assert.rejects(page.evaluate(() => (document.body.innerHTML = "<b>x</b>")), /TrustedHTML/);
    const foreign = () => Object.assign(document.createElement("script"), { src: "http://evil.example/x.js" });
    await assert.rejects(page.evaluate(foreign), /TrustedScriptURL/);
  });
});

test("questions stand under the sessions that handed them on, nearest first", async () => {
  await withInbox(async ({ box, open }) => {
    const page = await open(box.link());
    await live(page);
    // What the inbox would send of a grandchild; deep trees are tested elsewhere.
    const asked = (id, agent, through, surface, text) => ({
      id, agent, through, surface, asker: `${agent}-1`, digest: id, waited: 65_000, cwd: "/w", grant: null,
      facts: [{ label: "path", text, detail: null, flagged: true }], value: text,
      offers: [{ reach: "once", both: false, label: "Yes" }, { reach: "session", both: true, label: "Yes, both" }],
    });
    const root = [{ session: "root-1", agent: "planner" }];
    const waiting = [
      asked("q1", "digger", [{ session: "scout-1", agent: "scout" }, ...root], "path_read", "/etc/hosts"),
      asked("q2", "scout", root, "path_write", "/etc/passwd"),
      asked("q3", "other", [], "path_write", "/tmp/x"),
    ];
    const all = JSON.stringify({ session: "inbox", browser: 1, waiting, history: [] });
    await page.route("**/events", (route) => route.fulfill({ contentType: "text/event-stream", body: `event: all\ndata: ${all}\n\n` }));
    await page.reload();
    await question(page, "/etc/hosts").waitFor();
    const path = (id) => page.locator(`article[data-id=${id}]`).evaluate((it) => {
      const names = [];
      for (let at = it.closest(".session"); at; at = at.parentElement.closest(".session")) names.unshift(at.querySelector("h2").firstChild.textContent);
      return names.join(" > ");
    });
    assert.deepEqual(await Promise.all(["q1", "q2", "q3"].map(path)), ["planner > scout > digger", "planner > scout", "other"]);
    assert.equal(await page.locator("article[data-id=q3] time").textContent(), "1 min");
    await page.locator("article[data-id=q3] .row").click();
    assert.deepEqual(
      await page.locator("article[data-id=q3] .actions button").evaluateAll((all) => all.map((it) => it.dataset.answer)),
      ["once", "session-both", "deny", "reason"],
      "only what the question offers",
    );
    // Without a connection nothing can be answered.
    await page.locator("#state.lost").waitFor();
    assert.equal(await page.locator("article[data-id=q3] .actions button:enabled").count(), 0);
    await page.unroute("**/events");
    await live(page);
    assert.equal(await page.locator("article").count(), 0, "a page that comes back shows what there is");
  });
});

test("other pages in the same browser neither read nor answer", async () => {
  await withInbox(async ({ world, box, open }) => {
    const page = await open(box.link());
    const run = asker(world, "ci", "make it");
    await question(page, "make it").waitFor();
    const stolen = await page.evaluate(() => fetch("/events", { headers: { "X-Countersign-Secret": "guess" } }).then((it) => it.status));
    assert.equal(stolen, 403);
    // A server on another port of this machine: the browser sends it our cookie.
    const cookies = [];
    const evil = createServer((request, response) => {
      cookies.push(request.headers.cookie ?? "");
      response.setHeader("Content-Type", "text/html");
      response.end(`<iframe src="http://127.0.0.1:${box.port}/"></iframe>`);
    });
    await new Promise((done) => evil.listen(0, "127.0.0.1", done));
    try {
      for (const name of ["127.0.0.1", "evil.example"]) {
        const other = await page.context().newPage();
        await other.goto(`http://${name}:${evil.address().port}/`);
        const said = await other.evaluate(async (base) => {
          const attempt = (path, options) => fetch(base + path, { credentials: "include", ...options }).then((it) => it.status || it.type, () => "refused");
          const body = JSON.stringify({ questions: [], answer: "once" });
          return [
            await attempt("/events", {}),
            await attempt("/answer", { method: "POST", body, headers: { "Content-Type": "application/json" } }),
            await attempt("/link", { method: "POST", body: "{}" }),
          ];
        }, `http://127.0.0.1:${box.port}`);
        assert.deepEqual(said, ["refused", "refused", "refused"], name);
        const frame = other.frames()[1];
        assert.equal(await frame.locator("header").count(), 0, "the page stands in no frame");
        // What a form can send, without asking first.
        const sent = other.waitForResponse((response) => response.url().endsWith("/answer"));
        await other.evaluate((base) => {
          const form = Object.assign(document.createElement("form"), { method: "POST", action: `${base}/answer`, enctype: "text/plain" });
          document.body.append(form);
          form.submit();
        }, `http://127.0.0.1:${box.port}`);
        assert.equal((await sent).status(), 403);
        await other.close();
      }
      assert.match(cookies.join("\n"), /countersign_\d+=/, "browsers do share cookies between ports");
    } finally {
      evil.close();
    }
    // Rebinding: a name of a stranger that leads here.
    const rebound = await page.context().newPage();
    const answer = await rebound.goto(`http://evil.example:${box.port}/`);
    assert.equal(answer.status(), 421);
    // A link that was opened before opens nothing.
    const again = await open(box.link());
    await notice(again, "this link was opened before");
    await again.locator(".empty", { hasText: "not signed in" }).waitFor();
    // Nothing of that answered the question.
    assert.deepEqual(run.results(), []);
    assert.equal(await question(page, "make it").count(), 1);
  });
});

for (const colorScheme of ["dark", "light"]) {
  test(`a phone of 360 px in ${colorScheme} shows and answers everything`, async () => {
    await withInbox(async ({ world, box, open }) => {
      const page = await open(box.link(), { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, colorScheme });
      const run = asker(world, "a-subagent-with-a-rather-long-name", `curl https://example.com/${"path/".repeat(80)} && ${"x".repeat(400)}`);
      await question(page, "curl").waitFor();
      const measure = () =>
        page.evaluate(() => ({
          width: document.documentElement.scrollWidth,
          low: [...document.querySelectorAll(".actions button")].map((it) => it.getBoundingClientRect()).filter((it) => it.height < 40 || it.right > 360).length,
          page: getComputedStyle(document.documentElement).backgroundColor.match(/\d+/g).map(Number),
        }));
      const { width, low, page: background } = await measure();
      assert.equal(width, 360, "nothing stands out");
      assert.equal(low, 0, "buttons are for fingers");
      assert.equal(background[0] < 128, colorScheme === "dark");
      const yes = page.locator("[data-answer=once]");
      await until(async () => (await yes.count()) === 0 || (await yes.tap().catch(() => {}), run.results().length), "the tap");
      assert.equal((await run.all())[0].allowed, true);
      assert.deepEqual(page.faults, []);
    });
  });
}

test("questions outlive an inbox that is killed; its browsers need a new link", async () => {
  await withInbox(async ({ world, box, open }) => {
    const page = await open(box.link());
    const run = asker(world, "ci", "make it");
    await question(page, "make it").waitFor();
    box.process.kill("SIGKILL");
    await box.ended;
    const second = await inbox(world, "--web", "--port", box.port);
    await page.locator(".empty", { hasText: "not signed in" }).waitFor();
    const link = await until(() => second.output().match(/http:\S+/)?.[0], "the link");
    await page.goto(link);
    await live(page);
    await question(page, "make it").waitFor();
    await press(page, "y", async () => (await question(page, "make it").count()) === 0);
    assert.deepEqual((await run.all()).map((result) => result.allowed), [true]);
    second.type("quit");
    assert.equal(await second.ended, 0);
    assert.deepEqual(world.mailbox(), []);
  });
});
