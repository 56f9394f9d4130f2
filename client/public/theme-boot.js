// Runs before the first paint, so that a chosen theme never flashes the other one. Its own file: no inline scripts.
const chosenTheme = localStorage.getItem('liminal:theme');
if (chosenTheme === 'light' || chosenTheme === 'dark') document.documentElement.dataset.theme = chosenTheme;
