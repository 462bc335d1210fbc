// main.cpp - structs that may grow, started in C++ as in C.
#include <spdml-data.h>

int main()
{
    spd_mean_info info = SPD_STRUCT(spd_mean_info);
    spd_samples samples = SPD_STRUCT(spd_samples);
    spd_synth_options how;
    spd_data *data = NULL;
    spd_synth_defaults(SPD_SYNTH_SPD, &how, sizeof how);
    how.classes = 2;
    how.samples = 3;
    how.n = 4;
    how.planted = 2;
    if (spd_synth_data(NULL, &how, NULL, &data) < 0)
        return 1;
    spd_data_samples(data, &samples, sizeof samples);
    const bool good = info.size == sizeof info && info.iterations == 0 && samples.p == 6 &&
                      samples.n == 4 && samples.class_name == data->class_name;
    spd_data_free(data);
    return good ? 0 : 1;
}
