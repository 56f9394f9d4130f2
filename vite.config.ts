import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** The two pages: the shell at `/`, the session page at `/portlet/index.html`. */
export default defineConfig({
  root: path('client'),
  build: {
    outDir: path('dist/client'),
    emptyOutDir: true,
    // The first browsers with light-dark(), so that it is not rewritten.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    // Browsers that run the pages know modulepreload; the polyfill would be a script of its own in each page.
    modulePreload: { polyfill: false },
    // A data: URL would be counted neither by the cache nor by the budget.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // The pages contain the packages they use, so they carry the licences too.
    license: { fileName: 'THIRD-PARTY-LICENSES.md' },
    rolldownOptions: {
      input: { shell: path('client/index.html'), portlet: path('client/portlet/index.html') },
    },
  },
});
