/* fuzz_edf.c - any bytes as a recording in EDF or BDF, or as a table of events: numbers and events,
 * or a message. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "formats/recording.h"
#include "fuzz.h"

static void check_events(const recording_events *events)
{
    for (size_t i = 0; i < events->count; i++)
        if (!isfinite(events->event[i].onset) || !(events->event[i].duration >= 0.0) ||
            strlen(events->event[i].label) > 1000000)
            abort();
}

static void check_recording(const recording *made)
{
    if (made->channels == 0 || made->samples == 0 || !(made->rate > 0.0))
        abort();
    for (size_t i = 0; i < made->samples * made->channels; i++)
        if (isnan(made->signal[i]))
            abort();
    for (size_t c = 0; c < made->channels; c++)
        if (strlen(made->name[c]) > 16)
            abort();
    check_events(&made->events);
}

/* The first byte chooses: a table of events, all channels, or some. */
int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    static const char *const wanted[] = {NULL, "C3", "C3,C4", "C4,,C3"};
    spd_context *ctx = spd_context_new();
    const long live = mem_live();
    const unsigned way = size ? bytes[0] % 8u : 0;
    recording_events events = {0};
    recording *made = NULL;
    spd_status status =
        way >= 4 ? events_parse(ctx, (const char *)bytes + 1, size ? size - 1 : 0, &events)
                 : edf_parse(ctx, bytes + 1, size ? size - 1 : 0, wanted[way], &made);
    if (status < 0 ? made || events.count || !spd_context_error(ctx)->message[0]
                   : !made && !events.count)
        abort();
    if (made)
        check_recording(made);
    check_events(&events);
    recording_free(made);
    events_free(&events);
    if (mem_live() != live)
        abort();
    spd_context_free(ctx);
    return 0;
}
