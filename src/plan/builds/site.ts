/** Where a page that was built may lie, from the project's folder: the first that holds `index.html` is served. */
export const SITE_FOLDERS = ['dist', 'build', 'public', 'src', '.'] as const;
