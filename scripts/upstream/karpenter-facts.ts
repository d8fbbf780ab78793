import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parse } from 'yaml';
import { listCrdFacts } from './crd-facts.ts';
import type { Fact } from './fact.ts';

/** Where a module was unpacked. */
export interface ModuleFolder {
  readonly path: string;
  readonly folder: string;
}

/**
 * Lists what users see of Karpenter: read from the sources of the core and of the AWS provider, whose CRDs
 * contain those of the core. The libraries have further metrics.
 */
export function listKarpenterFacts(
  core: ModuleFolder,
  aws: ModuleFolder,
  libraries: readonly ModuleFolder[] = [],
): readonly Fact[] {
  const files = [core, aws].flatMap(({ path, folder }) => readGoFiles(path, folder, 'pkg'));
  const libraryFiles = libraries.flatMap(({ path, folder }) =>
    METRICS_FOLDERS.flatMap((root) => readGoFiles(path, folder, root)),
  );
  const strings = collectGoStrings([...files, ...libraryFiles]);
  const facts = [
    ...readCrds(join(aws.folder, 'pkg/apis/crds')).flatMap(listCrdFacts),
    ...files.flatMap((file) => [
      ...listGates(file),
      ...listSettings(file),
      ...listKeys(file, strings),
      ...listConditions(file, strings),
      ...listEvents(file, strings),
      ...listMetrics(file, strings, files),
      ...listConditionMetrics(file, strings, libraryFiles),
    ]),
    ...libraryFiles.flatMap((file) => (isStatusFile(file) ? [] : listMetrics(file, strings, libraryFiles))),
  ];
  return [...new Map(facts.map((fact) => [`${fact.kind} ${fact.name}`, fact])).values()];
}

const readCrds = (folder: string): readonly unknown[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .map((name): unknown => parse(readFileSync(join(folder, name), 'utf8')));

function listGates({ text }: GoFile): readonly Fact[] {
  const described = [...text.matchAll(/= FeatureGate\{\s*Name: +"(\w+)",\s*Default: +(true|false)/g)].map(
    ([, name = '', value = '']) => ({ name, value }),
  );
  const listed = /"AWS_FEATURE_GATES", "([^"]+)"/.exec(text)?.[1]?.split(',') ?? [];
  const pairs = listed.map((pair) => pair.split('='));
  return [...described, ...pairs.map(([name = '', value = '']) => ({ name, value }))].map(({ name, value }) => ({
    kind: 'gate',
    name,
    value,
  }));
}

/** The default is left out: durations and numbers are written as Go expressions. */
function listSettings({ text, path }: GoFile): readonly Fact[] {
  if (!path.endsWith('operator/options/options.go')) return [];
  const named = text.matchAll(/WithDefault\w+\("([A-Z_]+)"|BoolVarWithEnv\([^,]+, "[a-z-]+", "([A-Z_]+)"/g);
  return [...named].map(([, value, flag]) => ({
    kind: 'setting',
    name: value ?? flag ?? '',
    value: '',
  }));
}

/** Labels, annotations, taints and finalizers: all constants below a domain of Karpenter. */
const KEY = /^([\w-]+\.)*karpenter\.(sh|k8s\.aws)\/[\w-]+$/;

function listKeys(file: GoFile, strings: GoStrings): readonly Fact[] {
  return [...strings.constants(file).values()]
    .filter((value) => KEY.test(value))
    .map((name) => ({ kind: 'key', name, value: '' }));
}

const CONDITION_KINDS: readonly (readonly [path: string, kind: string])[] = [
  ['apis/v1/nodeclaim_status.go', 'NodeClaim'],
  ['apis/v1/nodepool_status.go', 'NodePool'],
  ['apis/v1/ec2nodeclass_status.go', 'EC2NodeClass'],
  ['apis/v1alpha1/nodeoverlay_status.go', 'NodeOverlay'],
  ['apis/autoscaling/v1beta1/capacitybuffer.go', 'CapacityBuffer'],
];

function listConditions(file: GoFile, strings: GoStrings): readonly Fact[] {
  const kind = CONDITION_KINDS.find(([path]) => file.path === `pkg/${path}`)?.[1];
  if (kind === undefined) return [];
  return [...strings.constants(file)]
    .filter(([name]) => /^ConditionType|Condition$/.test(name))
    .map(([, type]) => ({ kind: 'condition', name: `${kind} ${type}`, value: '' }));
}

/** Reasons of Events: the list of the core, and the literals where Events are made. */
function listEvents(file: GoFile, strings: GoStrings): readonly Fact[] {
  const isEventFile = /events?\.go$/.test(file.path);
  const listed = file.path === 'pkg/events/reason.go' ? [...strings.constants(file).values()] : [];
  const literal = isEventFile ? [...file.text.matchAll(/Reason: +([^,\n]+),/g)] : [];
  const made = literal.flatMap(([, expression = '']) => strings.resolve(file, expression) ?? []);
  return [...listed, ...made].map((name) => ({ kind: 'event', name, value: '' }));
}

/** In operatorpkg and in controller-runtime. */
const METRICS_FOLDERS = ['metrics', 'status', 'pkg/metrics', 'pkg/internal/metrics', 'pkg/internal/controller/metrics'];

/** Its metrics exist once for each kind. */
const isStatusFile = ({ path }: GoFile): boolean => path === 'status/metrics.go';

const STATUS_LABELS: readonly (readonly [expression: string, label: string])[] = [
  ['NodePoolLabelKey', 'karpenter_sh_nodepool'],
  ['NodeClassLabelKey', 'karpenter_k8s_aws_ec2nodeclass'],
  ['NodeInitializedLabelKey', 'karpenter_sh_initialized'],
];
const STATUS_METRIC = /Ternary\(len\(objectName\) == 0, (\w+),[^}]*?\.NewPrometheus(\w+)\(/g;

/** The metrics of the conditions of each kind that has a status controller in this file. */
function listConditionMetrics({ text }: GoFile, strings: GoStrings, libraryFiles: readonly GoFile[]): readonly Fact[] {
  const source = libraryFiles.find(isStatusFile);
  if (!source) return [];
  return [...text.matchAll(/status\.New\w*Controller\[\*\w+\.(\w+)\]/g)].flatMap(({ 1: kind = '', index }) => {
    const controller = cutCall(text, index);
    const own = STATUS_LABELS.flatMap(([key, label]) => (controller.includes(key) ? [label] : []));
    return [...source.text.matchAll(STATUS_METRIC)].map(({ 0: match, 1: subsystem = '', 2: type = '', index: at }) => {
      const call = cutCall(source.text, at + match.length - 1);
      const name = /\bName: +"(\w+)"/.exec(call)?.[1];
      const labels = [...(findLabels(call, source, strings, []) ?? []), ...own];
      const parts = ['operator', kind.toLowerCase(), strings.resolve(source, subsystem), name];
      return toMetric(parts.join('_'), type, labels);
    });
  });
}

const toMetric = (name: string, kind: string, labels: readonly string[] | undefined): Fact => ({
  kind: 'metric',
  name,
  value: `${kind.toLowerCase()}${labels ? ` of ${labels.toSorted().join(', ') || 'no labels'}` : ''}`,
});

const METRIC = /\.New(?:Prometheus)?(Gauge|Counter|Histogram|Summary)(?:Vec)?\(/g;

function listMetrics(file: GoFile, strings: GoStrings, files: readonly GoFile[]): readonly Fact[] {
  return [...file.text.matchAll(METRIC)].flatMap(({ 1: kind = '', index }) => {
    const call = cutCall(file.text, index);
    const part = (name: string): string | undefined =>
      strings.resolve(file, new RegExp(`\\b${name}: +([^,\\n]+),`).exec(call)?.[1] ?? '""');
    const parts = [part('Namespace'), part('Subsystem'), part('Name')];
    if (parts.includes(undefined)) throw new Error(`${file.path}: a metric without a constant name`);
    const labels = findLabels(call, file, strings, files);
    const name = parts.filter((text) => text !== '').join('_');
    // The constructors of a library, which take the name from their caller.
    return name === '' ? [] : [toMetric(name, kind, labels)];
  });
}

/** The text of a call from `start` to its closing parenthesis. */
function cutCall(text: string, start: number): string {
  let depth = 0;
  for (let at = text.indexOf('(', start); at < text.length; at += 1) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')') depth -= 1;
    if (depth === 0) return text.slice(start, at);
  }
  throw new Error('a call without an end');
}

/** `undefined` if the labels are computed. */
function findLabels(
  call: string,
  file: GoFile,
  strings: GoStrings,
  files: readonly GoFile[],
): readonly string[] | undefined {
  const literal = /\[\](?:\w+\.)?(?:Label|string)\{([^}]*)\}/.exec(call)?.[1];
  const maker = /^\t+(\w+)\(\),$/m.exec(call)?.[1];
  const siblings = files.filter((other) => other.package === file.package);
  const list = literal ?? (maker === undefined ? undefined : findReturnedList(maker, siblings));
  const names = list
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .map((name) => strings.resolve(file, name));
  return names?.every((name) => name !== undefined) ? names : undefined;
}

const findReturnedList = (name: string, files: readonly GoFile[]): string | undefined =>
  files
    .map(
      ({ text }) =>
        new RegExp(`^func ${name}\\(\\)[^\\n]*\\n\\treturn \\[\\]\\w+\\.Label\\{([^}]*)\\}`, 'm').exec(text)?.[1],
    )
    .find((list) => list !== undefined);

/** One Go file of a module. */
interface GoFile {
  /** The import path of its package. */
  readonly package: string;
  readonly path: string;
  readonly text: string;
}

/** Test code of the modules: its constants and Events are not part of the surface. */
const isExcluded = (path: string): boolean =>
  /(^|\/)(test|fake|testing|kwok)\//.test(path) || path.endsWith('_test.go');

/** Reads the Go files below a folder of a module in Go's module cache; none if it is not there. */
function readGoFiles(module: string, folder: string, root: string): readonly GoFile[] {
  if (!existsSync(join(folder, root))) return [];
  const entries = readdirSync(join(folder, root), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.go'))
    .map((entry) => ({ folder: relative(folder, entry.parentPath), name: entry.name }))
    .filter((file) => !isExcluded(`${file.folder}/${file.name}`))
    .map((file) => ({
      package: `${module}/${file.folder}`,
      path: `${file.folder}/${file.name}`,
      text: readFileSync(join(folder, file.folder, file.name), 'utf8'),
    }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Resolves expressions of strings, such as `apis.Group + "/nodepool"`, and names of label variables. */
interface GoStrings {
  /** The value of an expression in a file; `undefined` if it is not a constant of these modules. */
  resolve(file: GoFile, expression: string): string | undefined;
  /** All constants of a file by their names. */
  constants(file: GoFile): ReadonlyMap<string, string>;
}

/** gofmt writes each constant on a line of its own: `Name = expr`, `Name Type = expr`, `const Name = expr`. */
const CONSTANT = /^\s*(?:const |var )?(\w+)(?: +[\w.]+)? += (.+)$/gm;
/** `Name = opmetrics.Label{ Name: expr`: the name of a label of metrics. */
const LABEL = /^\s*(?:var )?(\w+) += (?:\w+\.)?Label\{\s*Name: +([^,\n]+),/gm;
const MAX_DEPTH = 10;

function collectGoStrings(files: readonly GoFile[]): GoStrings {
  const expressions = new Map<string, { readonly file: GoFile; readonly expression: string }>();
  for (const file of files) {
    for (const pattern of [CONSTANT, LABEL]) {
      for (const [, name = '', expression = ''] of file.text.matchAll(pattern)) {
        const isLabelOpening = pattern === CONSTANT && expression.includes('{');
        if (!isLabelOpening) expressions.set(`${file.package}.${name}`, { file, expression });
      }
    }
  }

  function resolve(file: GoFile, expression: string, depth = 0): string | undefined {
    if (depth > MAX_DEPTH) return undefined;
    const parts = expression.split(/ \+ /).map((part) => resolvePart(file, part.trim(), depth));
    return parts.some((part) => part === undefined) ? undefined : parts.join('');
  }

  function resolvePart(file: GoFile, part: string, depth: number): string | undefined {
    const literal = /^"([^"]*)"/.exec(part)?.[1];
    if (literal !== undefined) return literal;
    const [, alias, name] = /^(?:(\w+)\.)?(\w+)$/.exec(part) ?? [];
    if (name === undefined) return undefined;
    const from = alias === undefined ? file.package : findImport(file, alias);
    const constant = expressions.get(`${from}.${name}`);
    return constant && resolve(constant.file, constant.expression, depth + 1);
  }

  return {
    resolve: (file, expression) => resolve(file, expression),
    constants: (file) =>
      new Map(
        [...file.text.matchAll(CONSTANT)].flatMap(([, name = '', expression = '']) => {
          const value = expression.includes('{') ? undefined : resolve(file, expression);
          return value === undefined ? [] : [[name, value] as const];
        }),
      ),
  };
}

function findImport(file: GoFile, alias: string): string | undefined {
  const imports = [...file.text.matchAll(/^(?:\t|import )(?:(\w+) )?"([^"]+)"$/gm)];
  return imports.find(([, named, path = '']) => (named ?? path.split('/').at(-1)) === alias)?.[2];
}
