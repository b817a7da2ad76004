/* C23 says #embed; the clang of Swift 6.2 has it as an extension. */
#pragma clang diagnostic ignored "-Wc23-extensions"

#include "CAssets.h"

/* A new file has its three lines here and its line in the table below; a test compares both with
   the folders. The compiler knows that this file depends on them. */

static const unsigned char answer_js[] = {
#embed "../Pages/Resources/assets/answer.js"
};
static const unsigned char charts_css[] = {
#embed "../Pages/Resources/assets/charts.css"
};
static const unsigned char consent_js[] = {
#embed "../Pages/Resources/assets/consent.js"
};
static const unsigned char icon_192_png[] = {
#embed "../Pages/Resources/assets/icon-192.png"
};
static const unsigned char icon_svg[] = {
#embed "../Pages/Resources/assets/icon.svg"
};
static const unsigned char manifest_webmanifest[] = {
#embed "../Pages/Resources/assets/manifest.webmanifest"
};
static const unsigned char measure_js[] = {
#embed "../Pages/Resources/assets/measure.js"
};
static const unsigned char page_js[] = {
#embed "../Pages/Resources/assets/page.js"
};
static const unsigned char perform_js[] = {
#embed "../Pages/Resources/assets/perform.js"
};
static const unsigned char setup_js[] = {
#embed "../Pages/Resources/assets/setup.js"
};
static const unsigned char style_css[] = {
#embed "../Pages/Resources/assets/style.css"
};
static const unsigned char en_json[] = {
#embed "../Localization/Resources/languages/en.json"
};
static const unsigned char zh_Hant_json[] = {
#embed "../Localization/Resources/languages/zh-Hant.json"
};
static const unsigned char openapi_json[] = {
#embed "../Web/Resources/openapi.json"
};
static const unsigned char accounts_mustache[] = {
#embed "../Pages/Resources/templates/accounts.mustache"
};
static const unsigned char answer_mustache[] = {
#embed "../Pages/Resources/templates/answer.mustache"
};
static const unsigned char audit_mustache[] = {
#embed "../Pages/Resources/templates/audit.mustache"
};
static const unsigned char boxes_mustache[] = {
#embed "../Pages/Resources/templates/boxes.mustache"
};
static const unsigned char calendar_mustache[] = {
#embed "../Pages/Resources/templates/calendar.mustache"
};
static const unsigned char card_mustache[] = {
#embed "../Pages/Resources/templates/card.mustache"
};
static const unsigned char channels_mustache[] = {
#embed "../Pages/Resources/templates/channels.mustache"
};
static const unsigned char check_mustache[] = {
#embed "../Pages/Resources/templates/check.mustache"
};
static const unsigned char connect_mustache[] = {
#embed "../Pages/Resources/templates/connect.mustache"
};
static const unsigned char consent_mustache[] = {
#embed "../Pages/Resources/templates/consent.mustache"
};
static const unsigned char days_mustache[] = {
#embed "../Pages/Resources/templates/days.mustache"
};
static const unsigned char device_mustache[] = {
#embed "../Pages/Resources/templates/device.mustache"
};
static const unsigned char deviceform_mustache[] = {
#embed "../Pages/Resources/templates/deviceform.mustache"
};
static const unsigned char devices_mustache[] = {
#embed "../Pages/Resources/templates/devices.mustache"
};
static const unsigned char event_mustache[] = {
#embed "../Pages/Resources/templates/event.mustache"
};
static const unsigned char field_mustache[] = {
#embed "../Pages/Resources/templates/field.mustache"
};
static const unsigned char figure_mustache[] = {
#embed "../Pages/Resources/templates/figure.mustache"
};
static const unsigned char film_mustache[] = {
#embed "../Pages/Resources/templates/film.mustache"
};
static const unsigned char glyphs_mustache[] = {
#embed "../Pages/Resources/templates/glyphs.mustache"
};
static const unsigned char history_mustache[] = {
#embed "../Pages/Resources/templates/history.mustache"
};
static const unsigned char insights_mustache[] = {
#embed "../Pages/Resources/templates/insights.mustache"
};
static const unsigned char kit_mustache[] = {
#embed "../Pages/Resources/templates/kit.mustache"
};
static const unsigned char layout_mustache[] = {
#embed "../Pages/Resources/templates/layout.mustache"
};
static const unsigned char measure_mustache[] = {
#embed "../Pages/Resources/templates/measure.mustache"
};
static const unsigned char measurements_mustache[] = {
#embed "../Pages/Resources/templates/measurements.mustache"
};
static const unsigned char message_mustache[] = {
#embed "../Pages/Resources/templates/message.mustache"
};
static const unsigned char morning_mustache[] = {
#embed "../Pages/Resources/templates/morning.mustache"
};
static const unsigned char pairing_mustache[] = {
#embed "../Pages/Resources/templates/pairing.mustache"
};
static const unsigned char newsample_mustache[] = {
#embed "../Pages/Resources/templates/newsample.mustache"
};
static const unsigned char outlets_mustache[] = {
#embed "../Pages/Resources/templates/outlets.mustache"
};
static const unsigned char perform_mustache[] = {
#embed "../Pages/Resources/templates/perform.mustache"
};
static const unsigned char planactions_mustache[] = {
#embed "../Pages/Resources/templates/planactions.mustache"
};
static const unsigned char plandiff_mustache[] = {
#embed "../Pages/Resources/templates/plandiff.mustache"
};
static const unsigned char quantity_mustache[] = {
#embed "../Pages/Resources/templates/quantity.mustache"
};
static const unsigned char question_mustache[] = {
#embed "../Pages/Resources/templates/question.mustache"
};
static const unsigned char reference_mustache[] = {
#embed "../Pages/Resources/templates/reference.mustache"
};
static const unsigned char report_mustache[] = {
#embed "../Pages/Resources/templates/report.mustache"
};
static const unsigned char result_mustache[] = {
#embed "../Pages/Resources/templates/result.mustache"
};
static const unsigned char ring_mustache[] = {
#embed "../Pages/Resources/templates/ring.mustache"
};
static const unsigned char setup_mustache[] = {
#embed "../Pages/Resources/templates/setup.mustache"
};
static const unsigned char signin_mustache[] = {
#embed "../Pages/Resources/templates/signin.mustache"
};
static const unsigned char today_mustache[] = {
#embed "../Pages/Resources/templates/today.mustache"
};
static const unsigned char token_mustache[] = {
#embed "../Pages/Resources/templates/token.mustache"
};
static const unsigned char tracks_mustache[] = {
#embed "../Pages/Resources/templates/tracks.mustache"
};
static const unsigned char wizard_mustache[] = {
#embed "../Pages/Resources/templates/wizard.mustache"
};

#define FILE(path, bytes) {path, bytes, sizeof bytes}

static const struct embedded_file files[] = {
    FILE("assets/answer.js", answer_js),
    FILE("assets/charts.css", charts_css),
    FILE("assets/consent.js", consent_js),
    FILE("assets/icon-192.png", icon_192_png),
    FILE("assets/icon.svg", icon_svg),
    FILE("assets/manifest.webmanifest", manifest_webmanifest),
    FILE("assets/measure.js", measure_js),
    FILE("assets/page.js", page_js),
    FILE("assets/perform.js", perform_js),
    FILE("assets/setup.js", setup_js),
    FILE("assets/style.css", style_css),
    FILE("languages/en.json", en_json),
    FILE("languages/zh-Hant.json", zh_Hant_json),
    FILE("openapi.json", openapi_json),
    FILE("templates/accounts.mustache", accounts_mustache),
    FILE("templates/answer.mustache", answer_mustache),
    FILE("templates/audit.mustache", audit_mustache),
    FILE("templates/boxes.mustache", boxes_mustache),
    FILE("templates/calendar.mustache", calendar_mustache),
    FILE("templates/card.mustache", card_mustache),
    FILE("templates/channels.mustache", channels_mustache),
    FILE("templates/check.mustache", check_mustache),
    FILE("templates/connect.mustache", connect_mustache),
    FILE("templates/consent.mustache", consent_mustache),
    FILE("templates/days.mustache", days_mustache),
    FILE("templates/device.mustache", device_mustache),
    FILE("templates/deviceform.mustache", deviceform_mustache),
    FILE("templates/devices.mustache", devices_mustache),
    FILE("templates/event.mustache", event_mustache),
    FILE("templates/field.mustache", field_mustache),
    FILE("templates/figure.mustache", figure_mustache),
    FILE("templates/film.mustache", film_mustache),
    FILE("templates/glyphs.mustache", glyphs_mustache),
    FILE("templates/history.mustache", history_mustache),
    FILE("templates/insights.mustache", insights_mustache),
    FILE("templates/kit.mustache", kit_mustache),
    FILE("templates/layout.mustache", layout_mustache),
    FILE("templates/measure.mustache", measure_mustache),
    FILE("templates/measurements.mustache", measurements_mustache),
    FILE("templates/message.mustache", message_mustache),
    FILE("templates/morning.mustache", morning_mustache),
    FILE("templates/newsample.mustache", newsample_mustache),
    FILE("templates/outlets.mustache", outlets_mustache),
    FILE("templates/pairing.mustache", pairing_mustache),
    FILE("templates/perform.mustache", perform_mustache),
    FILE("templates/planactions.mustache", planactions_mustache),
    FILE("templates/plandiff.mustache", plandiff_mustache),
    FILE("templates/quantity.mustache", quantity_mustache),
    FILE("templates/question.mustache", question_mustache),
    FILE("templates/reference.mustache", reference_mustache),
    FILE("templates/report.mustache", report_mustache),
    FILE("templates/result.mustache", result_mustache),
    FILE("templates/ring.mustache", ring_mustache),
    FILE("templates/setup.mustache", setup_mustache),
    FILE("templates/signin.mustache", signin_mustache),
    FILE("templates/today.mustache", today_mustache),
    FILE("templates/token.mustache", token_mustache),
    FILE("templates/tracks.mustache", tracks_mustache),
    FILE("templates/wizard.mustache", wizard_mustache),
};

size_t embedded_file_count(void) { return sizeof files / sizeof *files; }

const struct embedded_file *embedded_file(size_t index) {
  return index < embedded_file_count() ? &files[index] : NULL;
}
