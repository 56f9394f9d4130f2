import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { leaveOutUnused } from './scripts/leave-out-unused.ts';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** The two pages: the shell at `/`, the session page at `/portlet/index.html`. */
export default defineConfig({
  root: path('client'),
  plugins: [leaveOutUnused()],
  // Modules, so that the worker loads grammars when it needs them.
  worker: { format: 'es' },
  build: {
    outDir: path('dist/client'),
    emptyOutDir: true,
    // The first browsers that support light-dark(), so that it is not transpiled.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    // The supported browsers have modulepreload; the polyfill would add a script to each page.
    modulePreload: { polyfill: false },
    // Data URLs are neither cached nor counted by the size budget.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // The pages bundle packages and therefore include their licences.
    license: { fileName: 'THIRD-PARTY-LICENSES.md' },
    rolldownOptions: {
      input: { shell: path('client/index.html'), portlet: path('client/portlet/index.html') },
    },
  },
});
