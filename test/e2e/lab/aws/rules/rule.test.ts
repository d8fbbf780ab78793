import { describe, expect, it } from 'vitest';
import type { AwsRequest } from './aws-request.ts';
import { queryRequest } from './aws-request.ts';
import { emulate } from './fixture.ts';
import { createRules, type Rule } from './rule.ts';

const REQUEST = queryRequest('iam', { Action: 'GetRole', RoleName: 'nodes' });

/** A rule that notes its name when it sees a request. */
const noting = (noted: string[], name: string, isDelay?: true): Rule => ({
  name,
  ...(isDelay && { isDelay }),
  answer(request: AwsRequest, pass) {
    noted.push(name);
    return pass(request);
  },
});

describe('the rules of the lab', () => {
  it('apply in their order', async () => {
    const noted: string[] = [];
    await createRules([noting(noted, 'first'), noting(noted, 'second')]).answer(REQUEST, emulate());

    expect(noted).toEqual(['first', 'second']);
  });

  it('can be switched off if they only cost time', async () => {
    const noted: string[] = [];
    const rules = createRules([noting(noted, 'slow', true), noting(noted, 'late', true), noting(noted, 'strict')]);
    rules.delay(['late']);
    await rules.answer(REQUEST, emulate());
    rules.delay('none');
    await rules.answer(REQUEST, emulate());

    expect(noted).toEqual(['late', 'strict', 'strict']);
  });

  it('cannot be switched off if they refuse', () => {
    expect(() => createRules([noting([], 'strict')]).delay(['strict'])).toThrow('strict');
  });
});
