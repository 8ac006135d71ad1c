#!/bin/sh
# Shows one station of adjudge in Chromium's kiosk mode, and starts the browser again whenever it ends.
#
#   adjudge-station.sh http://192.168.1.10:8017/station
#
# SIGTERM, SIGINT or SIGHUP to this script ends both. The profile, and the pairing in it, last as long as the script does.
# CHROMIUM names the browser, where it is not found by itself; TMPDIR says where the profile is made.

set -eu

say() {
	printf 'adjudge-station: %s\n' "$1" >&2
}

if [ $# -ne 1 ]; then
	say 'give one address, for example http://192.168.1.10:8017/station'
	exit 2
fi
case $1 in
http://?* | https://?*) address=$1 ;;
*)
	say "not an address that begins with http:// or https://: $1"
	exit 2
	;;
esac

browser=${CHROMIUM:-}
if [ -z "$browser" ]; then
	for name in chromium chromium-browser google-chrome-stable google-chrome; do
		if command -v "$name" >/dev/null; then
			browser=$name
			break
		fi
	done
fi
if ! command -v "${browser:-chromium}" >/dev/null; then
	say "no browser ${browser:-chromium} here: install Chromium, or name it in CHROMIUM"
	exit 2
fi

profile=$(mktemp -d "${TMPDIR:-/tmp}/adjudge-station.XXXXXX")

# $! is the browser, or the pause between two browsers; before the first one it is empty.
finish() {
	trap '' INT TERM HUP
	if [ -n "${!:-}" ]; then
		kill -TERM "$!" 2>/dev/null || :
		wait "$!" || :
	fi
	exit 0
}
# The browser's last helpers may still write for a moment.
discard() {
	rm -rf "$profile" 2>/dev/null || { sleep 1 && rm -rf "$profile"; }
}
trap finish INT TERM HUP
trap discard EXIT

# --kiosk                           full screen, with no tabs and no address bar; Esc and F11 do not leave it
# --user-data-dir                   the throw-away profile: nobody's bookmarks, passwords, history or extensions
# --no-first-run                    no welcome pages
# --no-default-browser-check        no question whether this is to be the default browser
# --noerrdialogs                    no error dialogs over the page
# --hide-crash-restore-bubble       no "restore pages?" after a crash
# --deny-permission-prompts         no questions about camera, location or notifications: the answer is no
# --password-store=basic            no question for the password of the desktop's key ring
# --disable-features=Translate      no offer to translate the page
# --disable-back-forward-cache      Back fetches the page anew instead of bringing the old one back from memory
# --overscroll-history-navigation=0 a swipe to the side does not go back
# --disable-pinch                   two fingers do not zoom the page
# --disable-extensions              no extensions, also none of the system's
# --disable-sync                    no synchronisation with an account
# --disable-component-update        no downloads of browser parts during play
# --disable-background-networking   no other requests in the background
while :; do
	# Left by a browser that crashed; with the machine's name changed it would keep the next one from starting.
	rm -f "$profile"/Singleton*
	TMPDIR="$profile" "$browser" \
		--kiosk \
		--user-data-dir="$profile" \
		--no-first-run \
		--no-default-browser-check \
		--noerrdialogs \
		--hide-crash-restore-bubble \
		--deny-permission-prompts \
		--password-store=basic \
		--disable-features=Translate \
		--disable-back-forward-cache \
		--overscroll-history-navigation=0 \
		--disable-pinch \
		--disable-extensions \
		--disable-sync \
		--disable-component-update \
		--disable-background-networking \
		"$address" &
	wait "$!" || :
	say 'the browser ended; it starts again'
	sleep 1 &
	wait "$!" || :
done
