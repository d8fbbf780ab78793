import type { Commits, LatestCommit } from '../ports/commits.ts';

export function simCommits(): Commits {
  let latest: LatestCommit = { epoch: 0 };
  let lastFence = 0;

  return {
    latest: async () => latest,
    async add(commit, seen, { fence }) {
      if (latest.epoch !== seen || fence < lastFence) return false;
      latest = { epoch: seen + 1, open: commit };
      lastFence = fence;
      return true;
    },
    async close(epoch) {
      if (latest.epoch === epoch) latest = { epoch };
    },
  };
}
