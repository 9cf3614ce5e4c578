/** Who opened a link or an impression: a person, or a program that nobody clicks in. No I/O, no clock. */
import { isbot } from "isbot";

/**
 * What `isbot` takes for a bot although people use it, by its name anywhere in a user agent, with the version after it. To add a name,
 * add a line with a whole user agent to `test/field/agents.tsv` too.
 */
const USED_BY_PEOPLE = [
  // Game engines, which open links from code (LeopotamGroupLibraryUnity issue 9).
  /(?<![\w.-])(?:UnityPlayer|UnityWebRequest|X-UnrealEngine-Agent|UnrealEngine|http-legacy|Godot|Defold|cocos2d-x|BestHTTP)(?![\w-])(?:[/ ]v?\d[\w.+-]*)?/gi,
  // In-app browsers (isbot issue 250, device-detector issue 5484).
  /(?<![\w.-])(?:NewsArticle|ToutiaoMicroApp)(?![\w-])(?:[/ ]v?\d[\w.+-]*)?/gi,
  // HTTP libraries of apps and of the servers of networks: what each sends if nobody sets another agent.
  /(?<![\w.-])(?:curl|libcurl|libcurl-agent|wget|CFNetwork|Alamofire|Dalvik|okhttp|Ktor[ -]client|Dart|WinHttp(?:\.WinHttpRequest\.5)?|Microsoft-WinInet)(?![\w-])(?:[/ ]v?\d[\w.+-]*)?/gi,
  /(?<![\w.-])(?:Java|Java-http-client|Apache-Http(?:Async)?Client|Jersey|HttpUrlConnection|Jetty|AHC|AsyncHttpClient|ReactorNetty|Vert\.x-WebClient|(?:akka|pekko)-http|unirest-java|scalaj-http|http4s-\w+)(?![\w-])(?:[/ ]v?\d[\w.+-]*)?/gi,
  /(?<![\w.-])(?:node|node-fetch|undici|axios|got|(?:node-)?superagent|Deno|Bun|PHP|GuzzleHttp|Symfony HttpClient|PostmanRuntime|HTTPie)(?![\w-])(?:[/ ]v?\d[\w.+-]*)?/gi,
  /(?<![\w.-])(?:Python|python-(?:requests|httpx|urllib3?)|aiohttp|Ruby|rest-?client|Faraday|Typhoeus|HTTParty|excon|http\.rb|lua-resty-http|ngx_lua)(?![\w-])(?:[/ ]v?\d[\w.+-]*)?/gi,
  /(?<![\w.-])(?:Go-http-client|go-resty|fasthttp|reqwest|hyper|ureq|hackney|mint|libwww-perl|LWP::Simple|HTTP-Tiny|cpp-httplib|Boost\.Beast|clj-http|http-kit|RestSharp|\.NET|HttpClient)(?![\w-])(?:[/ ]v?\d[\w.+-]*)?/gi,
  // The address of the project of a library.
  /\(?\+?https?:\/\/github\.com\/[\w./-]*\)?/gi,
  // What had nothing else in it.
  /\([\s,;]*\)/g,
];

/** Programs that load a link to show what is behind it, or to check it, and that `isbot` does not know. */
const LOOKS_ONLY =
  /^(?:viber|whatsapp|telegram|signal|line|kakaotalk)\b|\bms-?office\b|\bmicrosoft (?:office|outlook|word|excel|powerpoint)\b|\blibreoffice\b/i;

/** Whether a user agent is that of a person, an app, or a server that reports for people. */
export function isPerson(userAgent: string): boolean {
  if (LOOKS_ONLY.test(userAgent)) return false;
  if (!isbot(userAgent)) return true;
  const rest = USED_BY_PEOPLE.reduce((text, name) => text.replace(name, ""), userAgent);
  // As part of a browser's, because isbot takes every text that is only a name for a bot.
  return rest !== userAgent && !isbot(`Mozilla/5.0 (Linux) AppleWebKit/537.36 ${rest} Safari/537.36`);
}

/** Whether a browser prefetches the page or a messenger renders a preview: neither is a click by a person. */
export function isPreview(headers: Headers): boolean {
  return ["sec-purpose", "purpose", "x-purpose", "x-moz"].some((name) =>
    /prefetch|prerender|preview/i.test(headers.get(name) ?? ""),
  );
}
