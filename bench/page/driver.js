// @ts-nocheck: runs in a browser; the project that checks this folder is Node's.

// Runs in the host page, on the same thread as the session page in its frame, and measures what a reader sees.
const GIVE_UP_MS = 20_000;
const measured = document.querySelector('iframe');

/** Resolves when the next frame has been presented. */
function painted() {
  return new Promise((resolve) => {
    measured.contentWindow.requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => {
        channel.port1.close();
        resolve(performance.now());
      };
      channel.port2.postMessage(null);
    });
  });
}

function post(message) {
  measured.contentWindow.postMessage(numbered(message), location.origin);
}

/** Milliseconds from posting a history until its newest entry is painted. */
window.measureOpening = async (history, newestText) => {
  await new Promise((resolve) => measured.contentWindow.requestIdleCallback(resolve));
  await painted();
  const start = performance.now();
  post(history);
  for (let now = start; now - start < GIVE_UP_MS; ) {
    now = await painted();
    const answers = measured.contentDocument.querySelectorAll('.row.agent');
    if (answers[answers.length - 1]?.textContent.includes(newestText)) {
      return now - start;
    }
  }
  throw new Error(`Nothing was painted within ${GIVE_UP_MS} ms.`);
};

/** Streams a reply token by token, as the server sends it, and returns the latency of each. */
window.measureStreaming = async ({ text, ends }, item, perSecond) => {
  const longTasks = [];
  const observer = new measured.contentWindow.PerformanceObserver((list) => {
    for (const entry of list.getEntries()) longTasks.push(entry.duration);
  });
  observer.observe({ type: 'longtask' });

  const postedAt = [];
  const latencies = [];
  const start = performance.now();
  const feed = new Promise((resolve) => {
    const step = () => {
      const due = Math.min(ends.length, Math.floor(((performance.now() - start) / 1000) * perSecond) + 1);
      while (postedAt.length < due) {
        const at = ends[postedAt.length - 1] ?? 0;
        const added = text.slice(at, ends[postedAt.length]);
        if (at === 0) post({ type: 'session:upsert', payload: { ...item, content: added } });
        else post({ type: 'session:append', itemId: item.itemId, at, text: added });
        postedAt.push(performance.now());
      }
      if (postedAt.length === ends.length) resolve();
      else setTimeout(step, 1);
    };
    step();
  });
  while (latencies.length < ends.length) {
    const now = await painted();
    const shown =
      measured.contentDocument.querySelector('.agent.is-streaming .markdown')?.lastElementChild?.textContent ?? '';
    const seen = Number(/.*\bw(\d+)/s.exec(shown)?.[1] ?? -1);
    while (latencies.length <= seen) latencies.push(now - postedAt[latencies.length]);
  }
  await feed;
  observer.disconnect();
  return { latencies, longTasks };
};

/** Milliseconds from the start of the framed page to its first paint. */
window.firstContentfulPaint = () =>
  measured.contentWindow.performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null;
