import { describe, expect, it } from 'vitest';
import { checkLayers, compareWithKnown, type LayerRules } from '../../../scripts/layers/check.ts';
import { knownViolations, layerRules } from '../../../scripts/layers/order.ts';
import { readSources } from '../../../scripts/layers/read-sources.ts';

const rules: LayerRules = {
  areas: {
    base: { paths: ['base', 'app/clock.ts'], imports: [] },
    'app/store': { paths: ['app/store'], imports: ['base'] },
    'app/pages': { paths: ['app/pages'], imports: ['base'] },
    app: { paths: ['app'], imports: ['base', 'app/*'] },
    tests: { paths: ['tests'], imports: ['base', 'app/*'] },
  },
  pastIndex: ['tests'],
};

const check = (files: Readonly<Record<string, string>>, given = rules) =>
  checkLayers(new Map(Object.entries(files)), given).map(({ message }) => message);

describe('this repository', () => {
  const report = compareWithKnown(checkLayers(readSources(), layerRules), knownViolations);

  it('engine/layers has no import against the layer order and no cycle', () => {
    expect(report.unexpected.map(({ message }) => message)).toEqual([]);
  });

  it('engine/layers lists no known violation that has been fixed', () => {
    expect(report.obsolete).toEqual([]);
  });
});

describe('the layer check', () => {
  it('accepts imports that the order allows', () => {
    const files = {
      'base/id.ts': '',
      'app/clock.ts': "import { a } from '../base/id.ts';",
      'app/store/store.ts': "import type { Clock } from '../clock.ts'; import { readFile } from 'node:fs';",
      'app/main.ts': "import './store/store.ts'; import './clock.ts';",
    };
    expect(check(files)).toEqual([]);
  });

  it.each([
    ['a static import', "import { a } from '../app/main.ts';"],
    ['an import over several lines', "import {\n  a,\n  type B,\n} from '../app/main.ts';"],
    ['a type import', "import type { A } from '../app/main.ts';"],
    ['a side-effect import', "import '../app/main.ts';"],
    ['a re-export', "export { a } from '../app/main.ts';"],
    ['a re-export of everything', "export * from '../app/main.ts';"],
    ['a dynamic import', "const load = () => import('../app/main.ts');"],
    ['an import in a type', "type A = import('../app/main.ts').A;"],
  ])('reports %s that points upward, with file, import and rule', (_kind, source) => {
    expect(check({ 'base/id.ts': source, 'app/main.ts': '' })).toEqual([
      'base/id.ts imports app/main.ts: "base" must not import from "app".',
    ]);
  });

  it('ignores imports in comments and strings, of packages, and of files that do not exist', () => {
    const source = `
      // import '../app/main.ts';
      const text = "import '../app/main.ts';";
      const page = \`
import { a } from '../app/main.ts';
\`;
      import 'app/main.ts';
      import '../app/missing.ts';`;
    expect(check({ 'base/id.ts': source, 'app/main.ts': '' })).toEqual([]);
  });

  it('reports an import between areas that are side by side', () => {
    expect(check({ 'app/store/store.ts': "import '../pages/page.ts';", 'app/pages/page.ts': '' })).toEqual([
      'app/store/store.ts imports app/pages/page.ts: "app/store" must not import from "app/pages".',
    ]);
  });

  it('reports a cycle between files', () => {
    expect(
      check({ 'base/a.ts': "import './b.ts';", 'base/b.ts': "import './c.ts';", 'base/c.ts': "import './a.ts';" }),
    ).toEqual([
      'These files import each other in a cycle: base/a.ts, base/b.ts, base/c.ts ' +
        '(base/a.ts → base/b.ts; base/b.ts → base/c.ts; base/c.ts → base/a.ts).',
    ]);
  });

  it('reports a cycle between folders of one area whose files form none', () => {
    const files = {
      'base/a/one.ts': "import '../b/one.ts';",
      'base/a/two.ts': '',
      'base/b/one.ts': '',
      'base/b/two.ts': "import '../a/two.ts';",
    };
    expect(check(files)).toEqual([
      'These folders import each other in a cycle: base/a, base/b ' +
        '(base/a/one.ts → base/b/one.ts; base/b/two.ts → base/a/two.ts).',
    ]);
  });

  it('reports a cycle between a folder and one below it', () => {
    const files = {
      'base/one.ts': "import './inner/two.ts';",
      'base/two.ts': '',
      'base/inner/two.ts': "import '../two.ts';",
    };
    expect(check(files)).toEqual([
      'These folders import each other in a cycle: base, base/inner ' +
        '(base/one.ts → base/inner/two.ts; base/inner/two.ts → base/two.ts).',
    ]);
  });

  it('reports an import past the index.ts of another folder, except from tests', () => {
    const files = {
      'app/store/index.ts': "export * from './inner/file.ts';",
      'app/store/inner/file.ts': '',
      'app/main.ts': "import './store/index.ts'; import './store/inner/file.ts';",
      'tests/store.test.ts': "import '../app/store/inner/file.ts';",
    };
    expect(check(files)).toEqual([
      'app/main.ts imports app/store/inner/file.ts: from outside app/store only its index.ts may be imported.',
    ]);
  });

  it('reports a file outside every area', () => {
    expect(check({ 'elsewhere/file.ts': '' })).toEqual([
      'elsewhere/file.ts belongs to no area. Add its folder to the layer order.',
    ]);
  });

  it('reports an area that names one declared after it', () => {
    const upsideDown: LayerRules = {
      areas: { low: { paths: ['low'], imports: ['high'] }, high: { paths: ['high'], imports: [] } },
      pastIndex: [],
    };
    expect(check({}, upsideDown)).toEqual(['The area "low" names "high", which is not declared before it.']);
  });

  it('tells known violations from new ones, and those that were fixed', () => {
    const found = checkLayers(
      new Map([
        ['base/id.ts', "import '../app/main.ts'; import '../app/other.ts';"],
        ['app/main.ts', ''],
        ['app/other.ts', ''],
      ]),
      rules,
    );
    const report = compareWithKnown(found, ['base/id.ts → app/main.ts', 'base/id.ts → app/gone.ts']);
    expect(report.unexpected.map(({ key }) => key)).toEqual(['base/id.ts → app/other.ts']);
    expect(report.obsolete).toEqual(['base/id.ts → app/gone.ts']);
  });
});
