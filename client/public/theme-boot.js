// Runs before the first paint, so that the wrong theme never flashes. Inline scripts are forbidden, hence the file.
const chosenTheme = localStorage.getItem('liminal:theme');
if (chosenTheme === 'light' || chosenTheme === 'dark') document.documentElement.dataset.theme = chosenTheme;
