import type { ScalarTag, Tags } from 'yaml';

/** `0o12`, which kubectl accepts in addition to the `012` of YAML 1.1. */
const octal: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  test: /^[-+]?0o[0-7_]+$/,
  resolve: (text) => {
    const size = Number.parseInt(text.replaceAll(/[-+_]|0o/g, ''), 8);
    return text.startsWith('-') ? -size : size;
  },
};

/**
 * `1.5`, `.5`, `1e3`. The library would also accept `e0` and `.` as numbers.
 *
 * @see go-yaml, resolve.go
 */
const float: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  test: /^[-+]?(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?$/,
  resolve: (text) => Number(text.replaceAll('_', '')),
};

/** For kubectl, times and dates are text, and binary data, sets and pairs are unknown. */
const STRANGE_TAGS: ReadonlySet<string> = new Set(
  ['timestamp', 'binary', 'set', 'pairs', 'omap'].map((name) => `tag:yaml.org,2002:${name}`),
);

/** The YAML 1.1 tags that kubectl supports: `yes` is true, but `12:30` is text. */
export const kubectlTags = (tags: Tags): Tags => [
  octal,
  ...tags.filter(
    (tag) =>
      typeof tag !== 'string' &&
      !STRANGE_TAGS.has(tag.tag) &&
      !isNumericFloat(tag) &&
      !('format' in tag && tag.format === 'TIME'),
  ),
  float,
];

/** Infinity and NaN have a tag of their own. */
const isNumericFloat = (tag: Tags[number]): boolean =>
  typeof tag !== 'string' &&
  tag.tag === float.tag &&
  'test' in tag &&
  ['1.5', '1.5e3'].some((text) => tag.test?.test(text));
