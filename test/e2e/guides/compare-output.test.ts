import { describe, expect, it } from 'vitest';
import { findDifference } from './compare-output.ts';

describe('findDifference', () => {
  it('accepts other numbers, other spaces and further lines', () => {
    const printed = 'warning\ncost $1,234.50,  bound 7 %\nmoves 0\nended\n';

    expect(findDifference('cost   $0.09, bound 5 %\nended', printed)).toBeUndefined();
  });

  it('accepts another end of a generated name, and no other name', () => {
    expect(findDifference('role Node-shop-1a2b3c4d,', 'role Node-shop-177c991d,')).toBeUndefined();
    expect(findDifference('role Node-shop-1a2b3c4d', 'role Node-shap-177c991d')).toBeDefined();
    expect(findDifference('first-fc29p eu-west-1a', 'first-qgp2n eu-west-1b')).toBeUndefined();
    expect(findDifference('first-fc29p', 'other-fc29p')).toBeDefined();
  });

  it('names the first line that was not printed, or not in this order', () => {
    expect(findDifference('a 1\nb 2', 'a 1\nc 2')).toBe('no line like "b 2"');
    expect(findDifference('a 1\nb 2', 'b 2\na 1')).toBe('no line like "b 2"');
  });

  it('accepts another order of lines that are sorted by their time of day', () => {
    const shown = 'head\n10:00:01.0 node ready\n10:00:01.2 pod bound\nok';

    expect(findDifference(shown, 'head\n11:00:01.0 pod bound\n11:00:02.2 node ready\nok')).toBeUndefined();
    expect(findDifference(shown, 'head\n11:00:01.0 pod bound\nok')).toBe('no line like "10:00:01.0 node ready"');
  });

  it('compares a table by its header and the number of its columns', () => {
    const shown = 'NAME   READY\ngeneral-1   True';

    expect(findDifference(shown, 'NAME  READY\nother-x  False\n')).toBeUndefined();
    expect(findDifference(shown, 'NAME  STATUS\nother-x  False\n')).toBe('no header "NAME READY"');
    expect(findDifference(shown, 'NAME  READY\n')).toBe('no row with 2 columns like "general-1 True"');
  });
});
