/** Where people go after signing in: the page that they asked for, if it is one of the dashboard's. */
export function nextPath(wanted: string): string {
  return /^\/dashboard(?:[/?][\w\-./?=&%~+]*)?$/.test(wanted) ? wanted : '/dashboard';
}
