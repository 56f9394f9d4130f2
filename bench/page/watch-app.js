// @ts-nocheck: runs in a browser; the project that checks this folder is Node's.

// Runs in every document of the app and records what a reader sees and when, in milliseconds since the epoch.
const GIVE_UP_MS = 20_000;
const now = () => performance.timeOrigin + performance.now();

/** Resolves when the next frame has been presented. */
function painted() {
  return new Promise((resolve) => {
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => {
        channel.port1.close();
        resolve(now());
      };
      channel.port2.postMessage(null);
    });
  });
}

window.bench = {
  now,

  /** For each frame that shows more of a streamed reply: the number of the newest word and the time. */
  async words(last) {
    const seen = [];
    for (let newest = -1; newest < last; ) {
      const at = await painted();
      const block = document.querySelector('.agent.is-streaming .markdown')?.lastElementChild;
      const word = Number(/.*\bw(\d+)/s.exec(block?.textContent ?? '')?.[1] ?? -1);
      if (word > newest) {
        newest = word;
        seen.push({ word, at });
      }
    }
    return seen;
  },

  /** From the click on a session until its newest text is painted. */
  async opening(title, newestText) {
    const row = [...document.querySelectorAll('nav button')].find((button) => button.textContent.includes(title));
    const start = now();
    row.click();
    for (let at = start; at - start < GIVE_UP_MS; ) {
      at = await painted();
      const page = [...document.querySelectorAll('iframe')].find((frame) => frame.checkVisibility());
      const answers = page?.contentDocument?.querySelectorAll('.row.agent') ?? [];
      if (answers[answers.length - 1]?.textContent.includes(newestText)) return at - start;
    }
    throw new Error(`Nothing was painted within ${GIVE_UP_MS} ms.`);
  },

  /** The time from the click on each tab until its page is visible, cycling through all tabs. */
  async switches(rounds) {
    const tabs = [...document.querySelectorAll('[role=tab]')];
    const taken = [];
    for (let round = 0; round < rounds; round += 1) {
      const tab = tabs[(round * 7) % tabs.length];
      const start = now();
      tab.click();
      const at = await painted();
      if (tab.getAttribute('aria-selected') !== 'true') throw new Error('The tab is not the active one.');
      taken.push(at - start);
    }
    return taken;
  },

  firstContentfulPaint: () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null,
};
