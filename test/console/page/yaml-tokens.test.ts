import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokenizeYaml } from '../../../console/page/what-if/yaml-editor.tsx';

const kindsOf = (line: string) =>
  tokenizeYaml(line)
    .filter(({ text }) => text.trim() !== '')
    .map(({ kind, text }) => `${kind} ${text}`);

describe('the colours of YAML', () => {
  it('tell keys, values and comments apart', () => {
    expect(kindsOf('  weight: 10 # first')).toEqual(['key weight', 'mark :', 'number 10', 'comment # first']);
    expect(kindsOf('- { key: karpenter.sh/capacity-type, values: ["spot", m7g] }')).toEqual([
      ...['mark -', 'mark {', 'key key', 'mark :', 'text karpenter.sh/capacity-type', 'mark ,'],
      ...['key values', 'mark :', 'mark [', 'string "spot"', 'mark ,', 'text m7g', 'mark ]', 'mark }'],
    ]);
  });

  it('leave a # inside of a value, and a : inside of a name', () => {
    expect(kindsOf('image: registry:5000/web#1')).toEqual(['key image', 'mark :', 'text registry:5000/web#1']);
  });

  it('never change the text', () => {
    fc.assert(
      fc.property(fc.string(), (line) => {
        expect(
          tokenizeYaml(line)
            .map(({ text }) => text)
            .join(''),
        ).toBe(line);
      }),
    );
  });
});
