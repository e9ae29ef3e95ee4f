// Does the page of `mem graph --format html` work in a browser, from disk, with nothing from elsewhere?
//
//   mem graph --format html > graph.html
//   npm install --prefix DIR puppeteer-core @sparticuz/chromium
//   NODE_PATH=DIR/node_modules node benches/browser.cjs graph.html 'A title' picture.png
//
// Opens it in headless Chromium (or in the one that CHROMIUM names), looks for the note with this title, and takes
// pictures before and after. Fails if anything but the page is asked for, if a script complains, or if another note is chosen.
const assert = require("node:assert");
const path = require("node:path");
const puppeteer = require("puppeteer-core");

const [page, title, picture] = process.argv.slice(2);
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

(async () => {
  const module = process.env.CHROMIUM ? null : require("@sparticuz/chromium");
  const chromium = module && (module.default || module);
  const browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM || (await chromium.executablePath()),
    args: [...(chromium ? chromium.args : []), "--no-sandbox"],
    headless: "shell",
  });
  try {
    const tab = await browser.newPage();
    const [asked, said] = [[], []];
    tab.on("request", (request) => asked.push(request.url()));
    tab.on("console", (message) => said.push(message.text()));
    tab.on("pageerror", (error) => said.push(String(error)));
    await tab.setViewport({ width: 1280, height: 800 });
    await tab.goto("file://" + path.resolve(page));
    await pause(4000);
    await tab.screenshot({ path: picture });
    await tab.type("#search", title);
    await tab.keyboard.press("Enter");
    await pause(2000);
    await tab.screenshot({ path: picture.replace(/(\.png)?$/, "-found.png") });
    const chosen = await tab.$eval("#panel h1", (heading) => heading.textContent);
    assert.deepStrictEqual(asked.length, 1, asked.join("\n"));
    assert.deepStrictEqual(said, []);
    assert.strictEqual(chosen, title);
    console.log(`${chosen}: chosen; one request, no complaint`);
  } finally {
    await browser.close();
  }
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
