import { createContext, useContext, useSyncExternalStore } from 'react';
import type { PageState, PageStore } from './page-store.ts';

export const PageStoreContext = createContext<PageStore | undefined>(undefined);

export function usePageStore(): PageStore {
  const store = useContext(PageStoreContext);
  if (!store) throw new Error('used outside of PageStoreContext');
  return store;
}

/** One part of what the server told; the component draws again when that part changes. */
export function usePage<T>(select: (state: PageState) => T): T {
  const store = usePageStore();
  return useSyncExternalStore(store.subscribe, () => select(store.get()));
}
