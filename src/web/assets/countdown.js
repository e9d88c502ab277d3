// The countdown of an attempt with a time limit, for player.js and embed.js, which it is put in front of. At the end it
// calls `end` with the form to send: the question, if something is typed or ticked, or else the timer, which only ends
// the attempt. The service takes answers for some seconds more.
const countDown = (root, end) => {
  const timer = root.querySelector('[data-timer]');
  if (!timer) return;
  const [clock, status] = timer.children;
  const until = Date.now() + Number(timer.dataset.timer);
  const pad = (number) => String(number).padStart(2, '0');
  let before = -1;
  const show = (left) => {
    const hours = Math.floor(left / 3600);
    const minutes = Math.floor(left / 60) % 60;
    const shown = `${hours ? `${hours}:${pad(minutes)}` : minutes}:${pad(left % 60)}`;
    clock.textContent = timer.dataset.left.replace('{time}', shown);
    if (left <= 60) timer.dataset.soon = '';
    // Screen readers say it three times, and not each second.
    const moment = [300, 60, 10].find((at) => left <= at && before > at);
    if (moment) status.textContent = timer.dataset[`at-${moment}`];
    before = left;
  };
  const tick = () => {
    if (!timer.isConnected) return clearInterval(interval);
    const left = Math.max(0, Math.ceil((until - Date.now()) / 1000));
    if (left !== before) show(left);
    if (left > 0) return;
    const asked = root.querySelector('form[data-question]');
    // The answer is on its way, and the page that comes next ends the attempt. If it does not arrive, the mark is taken
    // away, or no longer holds.
    if (performance.now() < Number(asked?.dataset.sent)) return;
    clearInterval(interval);
    const isGiven = asked && [...new FormData(asked).values()].some((value) => value.trim());
    if (isGiven) {
      const over = document.createElement('input');
      asked.append(Object.assign(over, { type: 'hidden', name: 'over', value: 'yes' }));
    }
    end(isGiven ? asked : timer);
  };
  const interval = setInterval(tick, 250);
  tick();
};
