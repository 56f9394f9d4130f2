import type { LayerRules } from './check.ts';

const base = ['shared', 'server/base'] as const;
const driver = [
  ...base,
  'server/store',
  'server/processes',
  'server/streaming',
  'server/trust',
  'server/engine',
  'server/providers',
] as const;
const testing = ['shared', 'tests/fixtures', 'tests/support'] as const;

/**
 * Which part of the repository may import from which others. Bottom first: an area names only areas before it. To add a
 * folder, add an area or put the folder below one that exists; to allow an import, add the imported area to `imports`
 * (`server/*` is every area of the server).
 * Cycles between folders and between files are never allowed, also inside one area.
 */
export const layerRules: LayerRules = {
  areas: {
    shared: { paths: ['shared'], imports: [] },

    'client/shared': { paths: ['client/shared'], imports: ['shared'] },
    'client/public': { paths: ['client/public'], imports: [] },
    'client/portlet': { paths: ['client/portlet'], imports: ['shared', 'client/shared'] },
    'client/shell': { paths: ['client/shell'], imports: ['shared', 'client/shared'] },

    'scripted-model': { paths: ['scripted-model'], imports: [] },

    'server/base': {
      paths: [
        'server/abortable.ts',
        'server/clock.ts',
        'server/deferred.ts',
        'server/folder-watches.ts',
        'server/history-gaps.ts',
        'server/keyed-queue.ts',
        'server/log.ts',
        'server/open-files.ts',
        'server/package-root.ts',
        'server/private-files.ts',
        'server/time-slice.ts',
        'server/titles.ts',
        'server/toml.ts',
        'server/with-timeout.ts',
      ],
      imports: ['shared'],
    },
    'server/store': { paths: ['server/store'], imports: base },
    'server/journal': { paths: ['server/journal'], imports: [...base, 'server/store'] },
    'server/processes': { paths: ['server/processes'], imports: base },
    'server/security': { paths: ['server/security'], imports: [...base, 'server/store'] },
    'server/streaming': { paths: ['server/streaming'], imports: base },
    'server/trust': { paths: ['server/trust'], imports: base },
    'server/projects': { paths: ['server/projects'], imports: [...base, 'server/store', 'server/trust'] },
    'server/engine': {
      paths: ['server/engine'],
      imports: [...base, 'server/store', 'server/processes', 'server/streaming', 'server/trust'],
    },
    'server/keep': { paths: ['server/keep'], imports: [...base, 'server/store', 'server/engine'] },
    'server/providers': {
      paths: ['server/providers'],
      imports: [...base, 'server/store', 'server/processes', 'server/streaming', 'server/trust', 'server/engine'],
    },
    'server/providers/claude': { paths: ['server/providers/claude'], imports: driver },
    'server/providers/acp': { paths: ['server/providers/acp'], imports: driver },
    'server/providers/envelope': { paths: ['server/providers/envelope'], imports: driver },
    'server/sessions': {
      paths: ['server/sessions'],
      imports: [...base, 'server/store', 'server/journal', 'server/projects', 'server/engine', 'server/providers'],
    },
    'server/found': {
      paths: ['server/found'],
      imports: [...base, 'server/journal', 'server/projects', 'server/engine', 'server/providers', 'server/sessions'],
    },
    'server/delivery': { paths: ['server/delivery'], imports: [...base, 'server/sessions'] },
    'server/export': {
      paths: ['server/export'],
      imports: [...base, 'server/journal', 'server/projects', 'server/sessions'],
    },
    'server/commands': {
      paths: ['server/commands'],
      imports: [...base, 'server/security', 'server/projects', 'server/sessions', 'server/delivery', 'server/export'],
    },
    'server/data-archive': {
      paths: ['server/data-archive'],
      imports: [...base, 'server/store', 'server/providers'],
    },
    'server/demo': {
      paths: ['server/demo'],
      imports: [...base, 'scripted-model', 'server/engine', 'server/providers', 'server/commands'],
    },
    server: { paths: ['server'], imports: ['shared', 'server/*'] },
    examples: { paths: ['examples'], imports: [] },
    bin: { paths: ['bin'], imports: ['server'] },

    'tests/fixtures': { paths: ['tests/fixtures'], imports: ['shared'] },
    'tests/support': { paths: ['tests/support'], imports: ['shared', 'server/*', 'scripted-model', 'tests/fixtures'] },
    scripts: { paths: ['scripts'], imports: ['shared'] },
    bench: {
      paths: ['bench'],
      imports: ['shared', 'server/*', 'scripted-model', 'scripts', 'tests/fixtures', 'tests/support'],
    },
    'tests/unit': {
      paths: ['tests/unit'],
      imports: ['client/*', 'server/*', 'scripted-model', 'scripts', 'bench', ...testing],
    },
    'tests/faults': { paths: ['tests/faults'], imports: ['server/*', 'scripts', ...testing] },
    'tests/browser': { paths: ['tests/browser'], imports: ['client/*', 'server/*', ...testing] },
    'tests/e2e': { paths: ['tests/e2e'], imports: ['server/*', 'scripted-model', ...testing] },
    tests: { paths: ['tests'], imports: [] },
  },
  pastIndex: ['tests'],
};

/**
 * Violations that exist today, by key. An entry that is no longer a violation fails the check, so that this list can only
 * shrink.
 */
export const knownViolations: readonly string[] = [];
