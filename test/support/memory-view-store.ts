import type { StoredView, ViewStore } from '../../shared/ports/view-store.ts';
import { readViewFile, writeViewFile } from '../../shared/record/view-file.ts';

const RELEASE = 'test';

/** A view store in memory. Views pass through the text of their file, as in the bucket. */
export interface MemoryViewStore extends ViewStore {
  /** The file; `undefined` if no view is stored. A test may damage it. */
  file: string | undefined;
  readonly loads: number;
}

export function createMemoryViewStore(): MemoryViewStore {
  let loads = 0;
  return {
    file: undefined,
    get loads() {
      return loads;
    },
    async load(since) {
      loads += 1;
      if (this.file === undefined) return undefined;
      const view: StoredView = readViewFile(JSON.parse(this.file), RELEASE);
      return view.takenAt < since ? undefined : view;
    },
    async save(_, { take }) {
      const view = take();
      if (view) this.file = writeViewFile(view, RELEASE);
    },
  };
}
