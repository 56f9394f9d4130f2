process.on('SIGTERM', () => {});
setInterval(() => {}, 60_000);
