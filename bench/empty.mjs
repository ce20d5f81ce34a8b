export default function empty() {}
