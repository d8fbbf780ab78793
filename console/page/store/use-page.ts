import { createContext, useContext, useSyncExternalStore } from 'react';
import type { PageState, PageStore } from './page-store.ts';

export const PageStoreContext = createContext<PageStore | undefined>(undefined);

export function usePageStore(): PageStore {
  const store = useContext(PageStoreContext);
  if (!store) throw new Error('used outside of PageStoreContext');
  return store;
}

/** Selects a part of the state; the component renders again when it changes. */
export function usePage<T>(select: (state: PageState) => T): T {
  const store = usePageStore();
  return useSyncExternalStore(store.subscribe, () => select(store.get()));
}
