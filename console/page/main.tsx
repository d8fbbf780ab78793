import './fonts.css';
import './tokens.css';
import './base.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { pageStore } from './store/page-store.ts';
import { PageStoreContext } from './store/use-page.ts';

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <PageStoreContext value={pageStore()}>
      <App />
    </PageStoreContext>,
  );
}
