import { describe, expect, it } from 'vitest';
import { writeChangelog } from '../../scripts/changelog.ts';

const commit = (subject: string, body = '') => ({ hash: '0a1b2c3', subject, body });

describe('the changelog', () => {
  it('lists what users notice by type, with breaking changes first', () => {
    const commits = [
      commit('feat(cli): deploy without a CDK app'),
      commit('refactor(cli): read a cluster in one way'),
      commit('fix!: refuse kubeconfigs without a server'),
      commit('perf(launch): send fewer requests', 'Measured.\n\nBREAKING CHANGE: the option\nbatch is gone.'),
      commit('Not a Conventional Commit'),
    ];

    expect(writeChangelog([{ version: '0.2.0', date: '2026-11-23', commits }])).toBe(`# Changelog

## 0.2.0 (2026-11-23)

### Breaking changes

- refuse kubeconfigs without a server (0a1b2c3)
- the option batch is gone. (0a1b2c3)

### Features

- **cli**: deploy without a CDK app (0a1b2c3)

### Fixes

- refuse kubeconfigs without a server (0a1b2c3)

### Performance

- **launch**: send fewer requests (0a1b2c3)
`);
  });

  it('says of a release without such commits that nothing changed for users', () => {
    const release = { version: '0.2.1', date: '2026-11-24', commits: [commit('test: wait')] };

    expect(writeChangelog([release])).toContain('No change that users notice.');
  });
});
