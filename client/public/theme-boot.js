// Runs before the first paint, so that the wrong theme never flashes. A separate file, because inline scripts are forbidden.
const chosenTheme = localStorage.getItem('liminal:theme');
if (chosenTheme === 'light' || chosenTheme === 'dark') document.documentElement.dataset.theme = chosenTheme;
