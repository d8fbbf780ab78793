import { describe, expect, it } from 'vitest';
import { groupOfEvent } from '../../../console/page/feed/event-feed.tsx';

describe('the filter of the feed', () => {
  it.each([
    ['launch', 'launches'],
    ['unplaced', 'launches'],
    ['replace', 'removals'],
    ['interruption', 'capacity'],
    ['you', 'actions'],
    ['rollout-stopped', 'other'],
  ])('shows %s among %s', (kind, group) => {
    expect(groupOfEvent({ kind })).toBe(group);
  });
});
