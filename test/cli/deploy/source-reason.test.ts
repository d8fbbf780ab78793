import { describe, expect, it } from 'vitest';
import { findSourceReason } from '../../../cli/deploy/deploy.ts';

describe('a deployment into a region without function URLs', () => {
  it('says that it polls, unless the options decide or name another address', () => {
    const region = 'eu-south-2';
    expect(findSourceReason({}, region)).toContain('Lambda has no function URLs in eu-south-2');
    expect(findSourceReason({ eventSource: 'auto' }, region)).toContain('eu-south-2');
    expect(findSourceReason({ eventSource: 'poll' }, region)).toBeUndefined();
    expect(findSourceReason({ hookVpcEndpoint: 'vpce-0a0a0a0a' }, region)).toBeUndefined();
    expect(findSourceReason({}, 'eu-west-1')).toBeUndefined();
  });
});
